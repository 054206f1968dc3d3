/**
 * Tables that no cached answer shows: credentials, sign-ins, derived rows, queues of mails and jobs, and the audit log.
 * `lib/platform/api/plans.test.ts` compares them with the statements of cached calls.
 */
const NEVER_CACHED = [
  'account_links',
  'account_mails',
  'api_keys',
  'audit_chain',
  'audit_closings',
  'audit_events',
  'audit_heads',
  'calendar_feeds',
  'customer_versions',
  'daily_events',
  'idempotency_keys',
  'known_browsers',
  'limit_windows',
  'look_ups',
  'notice_mails',
  'outbox',
  'recent_writes',
  'scim_tokens',
  'sessions',
  'sign_on_sessions',
  'unversioned_writes',
  'used_confirmations',
  'webhook_attempts',
  'webhook_endpoints',
]

/** Tables that `licenseScope` writes, which no answer of a contract without `showsLicenses` reads. */
export const LICENSE_TABLES = [
  'assets',
  'license_change_attempts',
  'license_changes',
  'renewal_orders',
  'renewal_requests',
  'seat_readings',
  'vendor_subscriptions',
]
const quoted = (tables: readonly string[]) => tables.map((name) => `'${name}'`).join(', ')

/**
 * SQL by which each test database checks, at every COMMIT of the product, that a transaction which changed a customer's
 * rows replaced the version of the customer. Tests that write rows by their own connection are not checked.
 */
export const VERSION_CHECKS = `
  CREATE FUNCTION public.check_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE
    customer text;
    isLicense boolean;
  BEGIN
    IF TG_TABLE_NAME = 'customers' THEN customer := coalesce(NEW.id, OLD.id);
    ELSE customer := coalesce(NEW.customer_id, OLD.customer_id);
    END IF;
    -- Twice for each customer of a transaction, which may have changed many rows: for licenses, and for the others.
    isLicense := TG_TABLE_NAME IN (${quoted(LICENSE_TABLES)});
    IF current_setting('version_checks.' || isLicense, true) = customer THEN RETURN NULL; END IF;
    PERFORM set_config('version_checks.' || isLicense, customer, true);
    -- The transaction may see another of its customers at its end.
    PERFORM set_config('console.operated', customer, true);
    IF NOT EXISTS (SELECT FROM public.customer_versions v WHERE v.customer_id = customer
        AND v.xmin = pg_current_xact_id()::xid AND (isLicense OR v.version IS DISTINCT FROM v.license_version))
      AND NOT EXISTS (SELECT FROM public.unversioned_writes u WHERE u.customer_id = customer
        AND u.transaction = pg_current_xact_id())
      -- Nobody asks for a removed customer.
      AND EXISTS (SELECT FROM public.customers c WHERE c.id = customer)
    THEN
      RAISE EXCEPTION '% of % changed, and the version of % did not.', TG_OP, TG_TABLE_NAME, customer;
    END IF;
    RETURN NULL;
  END $$;
  REVOKE EXECUTE ON FUNCTION public.check_version() FROM PUBLIC;
  DO $$ DECLARE changed regclass; BEGIN
    FOR changed IN SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        AND (a.attname = 'customer_id' OR c.relname = 'customers' AND a.attname = 'id')
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relforcerowsecurity AND NOT a.attisdropped
        AND c.relname NOT IN (${quoted(NEVER_CACHED)})
    LOOP
      EXECUTE format($sql$
        CREATE CONSTRAINT TRIGGER version_checked AFTER INSERT OR UPDATE OR DELETE ON %s DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW WHEN (current_setting('application_name') = 'licenses-invoices')
          EXECUTE FUNCTION public.check_version() $sql$, changed);
    END LOOP;
    -- Vendors are read without a new version: no answer is cached that shows a subscription which was ever observed.
    DROP TRIGGER version_checked ON vendor_subscriptions;
    CREATE CONSTRAINT TRIGGER version_checked AFTER UPDATE ON vendor_subscriptions DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (current_setting('application_name') = 'licenses-invoices'
        AND (OLD.observed_at IS NULL) <> (NEW.observed_at IS NULL))
      EXECUTE FUNCTION public.check_version();
  END $$;`
