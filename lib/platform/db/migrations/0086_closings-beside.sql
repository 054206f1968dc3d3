-- The owner may delete links of the audit chain up to the last closing. Where customers are distributed, the policy is evaluated at a
-- shard, and asks the shard of the closings that has the same customer: `beside` says which.
CREATE FUNCTION closed_up_to(customer text, place oid) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  closings text := beside('audit_closings', place::regclass::text);
  last bigint;
BEGIN
  IF closings = 'audit_closings' THEN
    RETURN (SELECT max(seq) FROM audit_closings WHERE customer_id = customer);
  END IF;
  EXECUTE format('SELECT max(seq) FROM %I WHERE customer_id = $1', closings) INTO last USING customer;
  RETURN last;
END $$;--> statement-breakpoint
ALTER POLICY expired ON audit_chain USING (seq <= closed_up_to(customer_id, tableoid));--> statement-breakpoint
-- Messages are claimed across customers, and written for the webhooks of a member: on Citus both are on the coordinator.
COMMENT ON TABLE outbox IS 'Stays on the coordinator of Citus';--> statement-breakpoint
-- Citus evaluates it before it sends the INSERT, and cannot plan the statements of an SQL function with parameters.
CREATE OR REPLACE FUNCTION change_time(customer text, asset text, outcome text, moment timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  latest timestamptz;
BEGIN
  IF outcome = 'DRIFT' THEN
    SELECT c.created_at INTO latest FROM license_changes c
      WHERE c.customer_id = customer AND c.asset_id = asset AND c.state IN ('CLAIMED', 'SENT', 'UNKNOWN');
    IF latest IS NOT NULL THEN
      RETURN latest - interval '1 microsecond';
    END IF;
  END IF;
  SELECT max(c.created_at) INTO latest FROM license_changes c WHERE c.customer_id = customer AND c.asset_id = asset;
  RETURN greatest(moment, latest + interval '2 microseconds');
END $$;
