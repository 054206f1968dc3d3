import packageJson from '../../../package.json' with { type: 'json' }

/** Name of this program. */
export const NAME = packageJson.name
/** Version of this release. */
export const VERSION = packageJson.version

/** Product and version, as HTTP and mails name a program. */
export const PRODUCT = `${NAME}/${VERSION}`
