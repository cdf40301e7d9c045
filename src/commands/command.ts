import { name } from '../kernel/args.ts'
import { findMostSimilarName } from '../kernel/nearest.ts'
import type { Database } from '../kernel/ports.ts'
import { openMigratedDatabase } from '../open-migrated.ts'
import { type DatabasePools as OpenDatabase, type DatabaseOptions, openDatabase } from '../platform/database.ts'
import type { Environment } from '../platform/environment.ts'

/** Wrong usage, with a message for the operator. Any other error is a bug. */
export class UsageError extends Error {}

export interface CommandResult {
  /** Output in plain text, for people. */
  text: string
  /** Output for programs, printed with --json. */
  data: unknown
  /** True if the command ran but found problems; the exit code is then not zero. */
  failed?: boolean
}

export type CommandOptionValues = Record<string, string | boolean | undefined>

export interface CommandOption {
  /** The placeholder of the value, such as `<email>`; null for an option without a value. */
  value: string | null
  help: string
}

export interface Command {
  /** The usage lines of the command, without `lanyard` at their beginning. */
  usage: readonly string[]
  summary: string
  options?: Record<string, CommandOption>
  /** True if the command needs the embedded database for itself, so that a running service cannot execute it. */
  needsStoppedService?: boolean
  run: (given: CommandInput) => Promise<CommandResult>
}

export interface CommandInput {
  environment: Environment
  words: readonly string[]
  flags: CommandOptionValues
  /** The database of the running service, if the service executes the command. If omitted, the command opens the database itself. */
  running?: Database | undefined
  /** The folder that relative paths start from; by default the working directory of this process. */
  folder?: string | undefined
}

export function requireTextOption(flags: CommandOptionValues, name: string): string {
  const value = flags[name]
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is needed`)
  return value.trim()
}

export const readTextOption = (flags: CommandOptionValues, name: string): string | undefined =>
  typeof flags[name] === 'string' ? flags[name] : undefined

/** Returns the name in --name without invisible characters. Throws if it has no visible character. */
export function readNameOption(flags: CommandOptionValues): string {
  const read = name().safeParse(requireTextOption(flags, 'name'))
  if (!read.success) throw new UsageError(`--name ${read.error.issues[0]!.message}`)
  return read.data
}

/** Validates the flags and returns the function to run on the database, so that mistakes are reported before it is opened. */
export type CommandAction = (flags: CommandOptionValues, environment: Environment) => (database: Database) => Promise<CommandResult>

/** The option of `backup` and `restore` that names the file with the encryption key. */
export const KEY_FILE_OPTION: CommandOption = {
  value: '<file>',
  help: 'file with the key of the backup, instead of the secret key of this installation',
}

/** The command-line options that select a client. */
export const CLIENT_OPTIONS = {
  client: { value: '<code>', help: 'code of the client' },
  tenant: { value: '<code>', help: 'code of the tenant, if several have a client with this code' },
} as const

/** Creates a command with several actions on the database. The word after the name of the command selects the action. */
export const createActionCommand = (name: string, actions: Record<string, CommandAction>, about: Omit<Command, 'run'>): Command => ({
  ...about,
  run(given) {
    const { environment, words, flags } = given
    const action = actions[requireActionName(name, words[0], Object.keys(actions))]!
    if (words.length > 1) throw new UsageError(`Unexpected argument ${JSON.stringify(words[1])}`)
    return withCommandDatabase(given, action(flags, environment))
  },
})

/** Returns the name of the action. Throws if the name is missing or unknown. */
export function requireActionName(command: string, word: string | undefined, actions: readonly string[]): string {
  if (word !== undefined && actions.includes(word)) return word
  const known = `${actions.length === 1 ? 'The action is' : 'Actions are'} ${actions.join(', ')}.`
  if (word === undefined) throw new UsageError(`${command} needs an action. ${known}`)
  throw new UsageError(`Unknown action ${JSON.stringify(word)} of ${command}. ${suggestNearestName(word, actions) ?? known}`)
}

export function suggestNearestName(word: string, known: readonly string[]): string | null {
  const near = findMostSimilarName(word, known)
  return near === null ? null : `Did you mean ${near}?`
}

/** Runs a function on the database of the running service; if no service runs, opens the database and migrates it first. */
export const withCommandDatabase = <T>(
  { environment, running }: Pick<CommandInput, 'environment' | 'running'>,
  run: (database: Database) => Promise<T>,
): Promise<T> => (running ? run(running) : withDatabase(() => openMigratedDatabase(environment), run))

/** Returns the database of the running service, which stays open; if no service runs, opens the database without migrating it. */
export async function openCommandDatabase(
  { environment, running }: Pick<CommandInput, 'environment' | 'running'>,
  options: Partial<DatabaseOptions> = {},
): Promise<OpenDatabase> {
  if (!running) return openDatabase({ url: environment.databaseUrl ?? undefined, dataDir: environment.dataDir, ...options })
  const { engine, pool } = running
  return { engine, pool, reader: pool, replica: null, reports: null, poolSize: 1, close: async () => {} }
}

/** Opens a connection for the command and always closes it. */
export async function withDatabase<T>(open: () => Promise<Database>, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    return await run(database)
  } finally {
    await database.close()
  }
}
