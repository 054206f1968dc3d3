/**
 * Notes that this transaction has written something, where it has, for the customer that it sees. It is sent as its
 * last statement, so that no later read of a caller's, by whichever process, takes a replica that does not show it.
 */
export const NOTE_WRITE = {
  name: 'note-write',
  text: `INSERT INTO recent_writes (customer_id, transaction)
    SELECT customer, id FROM pg_current_xact_id_if_assigned() id, current_setting('console.customer') customer
    WHERE id IS NOT NULL AND customer <> '' ON CONFLICT DO NOTHING`,
}
