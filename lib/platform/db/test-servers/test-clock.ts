/**
 * A `now()` that is found before the server's own, by statements and by the columns' defaults: what a test says of
 * days holds on each day of the year, and when midnight comes between its rows and its questions.
 */
export function clockOf(name: string, today: string): string {
  return `
    CREATE SCHEMA IF NOT EXISTS clock;
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    ${nowOf(today)}
    ${pathOfClock(name)}`
}

/** Of the database itself, so its copies need it again. */
export const pathOfClock = (name: string) =>
  `ALTER DATABASE ${name} SET search_path = clock, pg_catalog, public;`

/** Returns the name of the copy of the template that has a clock: to add one takes longer than to copy it. */
export const clockTemplateOf = (template: string) => `${template}_clock`

/** Lets the columns' defaults ask the clock. */
export const DEFAULTS_OF_CLOCK = `
    DO $$ DECLARE field record; BEGIN
      -- On Citus a reference table is not changed after a distributed one, unless each shard is changed in turn.
      PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
      FOR field IN SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_default = 'now()'
      LOOP
        EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET DEFAULT clock.now()', field.table_name, field.column_name);
      END LOOP;
    END $$;`

/** Returns SQL that sets the clock to a time of UTC on this day; the clock goes on from there. */
export function nowOf(today: string, time = '12:00'): string {
  return `
    DO $$ BEGIN
      EXECUTE format('CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz STABLE
        RETURN pg_catalog.now() + interval %L', timestamptz '${today} ${time}Z' - pg_catalog.now());
    END $$;`
}
