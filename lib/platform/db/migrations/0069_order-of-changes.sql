-- The time of a new change, by which lists and the history of an asset are ordered. The row of the asset is locked when it is
-- asked for, so that it comes after all earlier changes of the asset, also where the server's clock was set back since then.
-- A change that the vendor made itself, and that the read before another change showed, comes before that change: its claim
-- is open. Two microseconds leave room for it. A function, because Citus takes no subquery within an INSERT.
CREATE FUNCTION change_time(customer text, asset text, outcome text, moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT c.created_at - interval '1 microsecond' FROM license_changes c
      WHERE c.customer_id = customer AND c.asset_id = asset AND c.state IN ('CLAIMED', 'SENT', 'UNKNOWN') AND outcome = 'DRIFT'),
    greatest(moment, (SELECT max(c.created_at) + interval '2 microseconds' FROM license_changes c
      WHERE c.customer_id = customer AND c.asset_id = asset))) $$;
