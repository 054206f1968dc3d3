-- Where most customers have one invoice, PostgreSQL takes "of this customer" for one row, and then any index that
-- begins with the customer for as good as the primary key: it read all invoices of a customer to find one of them.
ALTER TABLE invoices ALTER COLUMN customer_id SET (n_distinct = 200);--> statement-breakpoint
ANALYZE invoices;
