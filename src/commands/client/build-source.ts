// Where a build comes from and its labels: from options, the CI system and git, in this order.
import { labelKey, labels as labelList, type SourceInput, sourceFields } from '../../builds/source-schema.ts';
import { UsageError } from '../../lib/failure.ts';
import type * as z from '../../lib/zod.ts';
import type { CommandHost } from '../host.ts';
import { readCiSource } from './ci-systems.ts';
import { readAuthor, readGit } from './git.ts';
import { webAddressOf, withoutCredentials } from './web-address.ts';

/** The options of a command, as commander has them. */
export interface SourceOptions {
  commit?: string;
  branch?: string;
  tag?: string;
  pullRequest?: string;
  repository?: string;
  runUrl?: string;
  author?: string;
  /** False with --no-source. */
  source?: boolean;
  label?: readonly string[];
}

type Field = keyof SourceInput;
type Fields = Partial<Record<Field, string | undefined>>;

const fields = Object.keys(sourceFields) as Field[];
const optionNames: Record<Field, string> = {
  commit: '--commit',
  branch: '--branch',
  tag: '--tag',
  pull_request: '--pull-request',
  repository_url: '--repository',
  run_url: '--run-url',
  author: '--author',
};

/** Returns the options that are given, for the source. Throws UsageError that names the option for values that the server would reject. */
export function readSourceOptions(options: SourceOptions): SourceInput {
  const { repository } = options;
  const stated: Fields = {
    commit: options.commit,
    branch: options.branch,
    tag: options.tag,
    pull_request: options.pullRequest,
    repository_url: repository === undefined ? undefined : (webAddressOf(repository) ?? repository),
    run_url: options.runUrl,
    author: options.author,
  };
  return readFields(stated, (field, problem) => {
    throw new UsageError(`${optionNames[field]}: ${problem}`);
  });
}

/** Returns the labels of the options, each once. Throws UsageError for labels that the server would reject. */
export function readLabels({ label = [] }: SourceOptions): string[] {
  const trimmed = label.map((text) => text.trim());
  const once = trimmed.filter(
    (text, index) => trimmed.findIndex((other) => labelKey(other) === labelKey(text)) === index,
  );
  const result = labelList.safeParse(once);
  if (result.success) return result.data;
  throw new UsageError(`--label: ${describe(result.error.issues[0])}`);
}

/**
 * Returns the source of a build: the stated fields, and those that the CI system or else git knows. What they say is left out if the
 * server would reject it, so that an odd branch name doesn't stop an upload.
 */
export async function findSource(
  host: Pick<CommandHost, 'cwd' | 'env'>,
  stated: SourceInput,
  options: Pick<SourceOptions, 'source'>,
): Promise<SourceInput | undefined> {
  const found = options.source === false ? {} : await detectSource(host, stated);
  const source = { ...found, ...stated };
  return Object.keys(source).length === 0 ? undefined : source;
}

async function detectSource(host: Pick<CommandHost, 'cwd' | 'env'>, stated: SourceInput): Promise<SourceInput> {
  const ci = readCiSource(host.env);
  const git = await readGit(host);
  const repository = ci?.repository_url ?? git.remote;
  const detected: Fields = {
    commit: ci?.commit ?? git.commit,
    // A CI system checks out a commit without a branch, so only it knows the branch and tag of the run.
    branch: ci === undefined ? git.branch : ci.branch,
    tag: ci === undefined ? git.tag : ci.tag,
    pull_request: ci?.pull_request,
    repository_url: repository === undefined ? undefined : webAddressOf(repository),
    run_url: ci?.run_url === undefined ? undefined : withoutCredentials(ci.run_url),
    author: ci?.author,
  };
  const source = readFields(detected, () => undefined);
  const commit = stated.commit ?? source.commit;
  if (source.author === undefined && typeof commit === 'string') {
    const author = (await readAuthor(host, commit)) ?? ci?.starter;
    Object.assign(
      source,
      readFields({ author }, () => undefined),
    );
  }
  return source;
}

function readFields(values: Fields, onProblem: (field: Field, problem: string) => void): SourceInput {
  const source: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field];
    if (value === undefined) continue;
    const isNumber = field === 'pull_request' && /^\d{1,15}$/.test(value);
    const result = sourceFields[field].safeParse(isNumber ? Number(value) : value);
    if (result.success) source[field] = result.data;
    else onProblem(field, field === 'pull_request' ? 'must be a positive number' : describe(result.error.issues[0]));
  }
  return source as SourceInput;
}

/** Says what is wrong with the value of an option, as a sentence that begins after its name. */
function describe(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'too_small') return 'must not be empty';
  if (issue?.code === 'too_big') {
    const { origin, maximum } = issue;
    return origin === 'array' ? `must be given at most ${maximum} times` : `must have at most ${maximum} characters`;
  }
  const message = issue?.message ?? '';
  // Other messages of the schemas begin with what the input should be.
  return message.startsWith('Input should ') ? `must ${message.slice('Input should '.length)}` : message;
}
