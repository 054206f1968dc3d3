/** Vitest's global setup: the database server of the tests. */
export function setup(): void {}

export function teardown(): void {}
