import type { Command } from 'commander'
import { withDatabase } from '../command.ts'
import { needTerminal } from '../terminal.ts'
import type { ApplyOptions } from './apply.ts'

export function addLicenseCommands(licenses: Command): void {
  licenses
    .command('apply')
    .description(
      'Set the licenses of many assets. Each row is checked first; the same file again changes nothing more.',
    )
    .argument(
      '<file>',
      'up to 250 rows with asset ID and total, separated by tab, comma or semicolon; - is stdin',
    )
    .requiredOption('--customer <id>', 'id or domain of the customer')
    .option('--dry-run', 'check and show each row, and change nothing')
    .option('--yes', 'do not ask before changing')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- licenses apply totals.csv --customer sunbird --dry-run',
    )
    .action(async (file: string, options: ApplyOptions, command: Command) => {
      if (!options.dryRun && !options.yes) needTerminal(command, file === '-')
      // Loaded by commands that call vendors only.
      const { applyTotals } = await import('./apply.ts')
      await withDatabase(applyTotals)(file, options)
    })
}
