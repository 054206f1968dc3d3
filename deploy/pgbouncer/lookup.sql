-- Lets pgbouncer see the verifiers of the console's logins, and of nobody else. Run it once in the console's database, as
-- the server's administrator: psql --dbname=console --file=lookup.sql
-- Then give the login a password, which goes into userlist.txt, too: \password pgbouncer

CREATE ROLE pgbouncer LOGIN;
CREATE SCHEMA pgbouncer;
GRANT USAGE ON SCHEMA pgbouncer TO pgbouncer;

CREATE FUNCTION pgbouncer.lookup(asked text, OUT usename text, OUT passwd text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT rolname::text, rolpassword FROM pg_authid WHERE rolname = asked
    AND rolname = ANY ('{console_app,console_reads,console_streams,console_keys,console_sessions,console_sign_in,console_jobs}')
$$;
REVOKE ALL ON FUNCTION pgbouncer.lookup FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pgbouncer.lookup TO pgbouncer;
