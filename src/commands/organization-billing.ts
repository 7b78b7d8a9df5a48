// taxiway organization: what the operator does to plans, locks and credit.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { BillingState } from '../billing/schema.ts';
import type { Context } from '../core/context.ts';
import { accountName } from '../lib/account-name.ts';
import { type LockReason, lockReasons } from '../lib/lock-reasons.ts';
import { line } from '../lib/shapes.ts';
import { type Tier, tiers } from '../lib/tiers.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { withApp } from './open-app.ts';
import { UNKNOWN_ORGANIZATION, withAsyncRefusals } from './service-errors.ts';

interface JsonOption extends ConfigOptions {
  json?: boolean;
  operator?: string;
}

interface MoneyOptions extends JsonOption {
  cents: number;
  note?: string;
}

const ID = '0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b';
const MAX_CENTS = 2 ** 40;

function wholeNumber(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new InvalidArgumentError(`Give a whole number from ${minimum} to ${maximum}.`);
    }
    return value;
  };
}

const MAX_NAME_LENGTH = 100;
const MAX_NOTE_LENGTH = 500;

/** Parses the name of the operator. An empty one, such as from a variable that isn't set, would be recorded without a name. */
function parseName(text: string): string {
  const name = line(MAX_NAME_LENGTH).safeParse(text);
  if (!name.success) throw new InvalidArgumentError(`Give one line of 1 to ${MAX_NAME_LENGTH} characters.`);
  return name.data;
}

/** Parses a note, which the payment provider gets too. An empty one, such as from a variable that isn't set, counts as none. */
function parseNote(text: string): string {
  if (text.trim() === '') return '';
  const note = line(MAX_NOTE_LENGTH).safeParse(text);
  if (!note.success) throw new InvalidArgumentError(`Give one line of at most ${MAX_NOTE_LENGTH} characters.`);
  return note.data;
}

/** The commands that change the billing of one organization. */
export function buildBillingCommands(host: CommandHost): Command[] {
  const about = (name: string, description: string, example: string) =>
    addConfigOption(new Command(name))
      .description(description)
      .argument('<id>', 'organization')
      .option('--operator <name>', 'your name for the audit trail (default: your user name)', parseName)
      .option('--json', 'print the billing state as JSON')
      .addHelpText('after', `\nExample:\n  taxiway organization ${name} ${example}\n`);
  const withMoney = (command: Command) =>
    command
      .addOption(
        new Option('--cents <number>', 'amount in cents').argParser(wholeNumber(1, MAX_CENTS)).makeOptionMandatory(),
      )
      .option('--note <text>', 'shown to the organization', parseNote);

  const setTier = about('set-tier', 'Sets the plan without a payment.', `${ID} business`)
    .addArgument(new Argument('<tier>', 'plan').choices(tiers))
    .option('--commit', 'require a card: without one, the organization is locked until it has one')
    .action((id: string, tier: Tier, options: JsonOption & { commit?: boolean }) =>
      run(host, id, options, async (ctx) =>
        (await import('../billing/operator.ts')).assignTier(
          ctx,
          key(id),
          tier,
          options.commit === true,
          nameOf(options),
        ),
      ),
    );
  const lock = about('lock', 'Locks an organization until it is unlocked.', `${ID} --reason suspended`)
    .addOption(
      new Option('--reason <reason>', 'reason, shown to its members').choices(lockReasons).makeOptionMandatory(),
    )
    .action((id: string, options: JsonOption & { reason: LockReason }) =>
      run(host, id, options, async (ctx) =>
        (await import('../billing/operator.ts')).lockOrganization(ctx, key(id), options.reason, nameOf(options)),
      ),
    );
  const unlock = about('unlock', 'Removes the lock of an organization and its causes.', `${ID} --trial-days 7`)
    .addOption(
      new Option('--trial-days <days>', 'days that an expired trial continues (default: as configured)').argParser(
        wholeNumber(1, 3650),
      ),
    )
    .action((id: string, options: JsonOption & { trialDays?: number }) =>
      run(host, id, options, async (ctx) =>
        (await import('../billing/operator.ts')).unlockOrganization(ctx, key(id), options.trialDays, nameOf(options)),
      ),
    );
  const credit = withMoney(
    about('credit', 'Adds credit to the balance.', `${ID} --cents 5000 --note "Invoice 17"`),
  ).action((id: string, options: MoneyOptions) =>
    run(host, id, options, async (ctx) =>
      (await import('../billing/operator.ts')).creditOrganization(ctx, key(id), movementOf(options)),
    ),
  );
  const refund = withMoney(about('refund', 'Takes a refund from the balance.', `${ID} --cents 5000 --fee-cents 200`))
    .addOption(
      new Option('--fee-cents <number>', 'fee in cents that is withheld from the amount').argParser(
        wholeNumber(1, MAX_CENTS),
      ),
    )
    .option(
      '--transaction <id>',
      'ID of the top-up that the payment provider pays back; without it, pay it back yourself',
    )
    .action((id: string, options: MoneyOptions & { feeCents?: number; transaction?: string }) =>
      run(host, id, options, async (ctx) =>
        (await import('../billing/operator.ts')).refundOrganization(ctx, key(id), {
          ...movementOf(options),
          feeCents: options.feeCents ?? null,
          transactionId: options.transaction,
        }),
      ),
    );
  const setCeiling = about('set-ceiling', 'Sets the highest monthly cost of metered use.', `${ID} 20000`)
    .addArgument(new Argument('<cents>', 'a whole number of cents, or "none"').argParser(parseCeiling))
    .action((id: string, cents: number | null, options: JsonOption) =>
      run(host, id, options, async (ctx) =>
        (await import('../billing/operator.ts')).setCeiling(ctx, key(id), cents, nameOf(options)),
      ),
    );
  return [setTier, lock, unlock, credit, refund, setCeiling];
}

const key = (id: string): string => id.toLowerCase();

function parseCeiling(text: string): number | null {
  return text === 'none' ? null : wholeNumber(0, MAX_CENTS)(text);
}

const nameOf = ({ operator }: JsonOption): string => operator ?? accountName() ?? `uid ${process.getuid?.()}`;

function movementOf(options: MoneyOptions) {
  return { cents: options.cents, note: options.note || null, operatorName: nameOf(options) };
}

async function run(
  host: CommandHost,
  id: string,
  options: JsonOption,
  work: (ctx: Context) => Promise<BillingState>,
): Promise<void> {
  const { systemContext } = await import('../core/transact.ts');
  const state = await withApp(loadCommandConfig(host, options), ({ app }) =>
    withAsyncRefusals(() => work(systemContext(app)), UNKNOWN_ORGANIZATION),
  );
  if (options.json === true) {
    host.print(`${JSON.stringify(state, null, 2)}\n`);
    return;
  }
  const lock = state.lock_reason === null ? 'not locked' : `locked: ${state.lock_reason}`;
  host.print(`${key(id)}: ${state.tier}, ${state.available_cents} cents available, ${lock}\n`);
}
