-- The links that follow a head of the chain, one for each 32 bytes of `contents`: its place, its event's id and its digest.
-- As a function, because a database that is spread over several machines refuses WITH RECURSIVE within an INSERT. Of digits
-- and spaces a cast to bytea is what they say, and immutable.
CREATE FUNCTION chain_links(head bytea, place bigint, event bigint, micros bigint, contents bytea)
  RETURNS TABLE (seq bigint, event_id bigint, digest bytea) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $links$
  WITH RECURSIVE linked AS (
    SELECT 0 AS n, place AS seq, event AS event_id, head AS digest
    UNION ALL
    SELECT l.n + 1, l.seq + 1, l.event_id + 1,
      sha256(l.digest || substring(contents FROM l.n * 32 + 1 FOR 32)
        || ((l.seq + 1)::text || ' ' || (l.event_id + 1)::text || ' ' || micros::text)::bytea)
    FROM linked l WHERE l.n < length(contents) / 32
  )
  SELECT l.seq, l.event_id, l.digest FROM linked l WHERE l.n > 0
$links$;
