import { name } from '../kernel/args.ts'
import type { Database } from '../kernel/ports.ts'
import { openMigratedDatabase } from '../open-migrated.ts'
import type { Environment } from '../platform/environment.ts'

/** Wrong usage, with a message for the operator. Any other error is a bug. */
export class UsageError extends Error {}

export interface CommandResult {
  /** Output for people. */
  text: string
  /** Output for programs, printed with --json. */
  data: unknown
  /** True if the command ran but found problems; the exit code is then not zero. */
  failed?: boolean
}

export type CommandOptions = Record<string, string | boolean | undefined>

export interface Command {
  usage: string
  summary: string
  options?: Record<string, 'string' | 'boolean'>
  run: (given: { environment: Environment; words: readonly string[]; flags: CommandOptions }) => Promise<CommandResult>
}

export function requireFlag(flags: CommandOptions, name: string): string {
  const value = flags[name]
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is needed`)
  return value.trim()
}

export const readTextOption = (flags: CommandOptions, name: string): string | undefined =>
  typeof flags[name] === 'string' ? flags[name] : undefined

/** The cleaned name; a name without visible characters is rejected. */
export function readNameFlag(flags: CommandOptions): string {
  const read = name().safeParse(requireFlag(flags, 'name'))
  if (!read.success) throw new UsageError(`--name ${read.error.issues[0]!.message}`)
  return read.data
}

/** Validates the flags before the database is opened, which takes longer. */
export type Action = (flags: CommandOptions, environment: Environment) => (database: Database) => Promise<CommandResult>

/** Options that name a record and the client it belongs to. */
export const NAMED_AT_CLIENT_OPTIONS = { name: 'string', client: 'string', tenant: 'string' } as const

/** A command whose first word selects an action on the database. */
export const actionCommand = (name: string, actions: Record<string, Action>, about: Omit<Command, 'run'>): Command => ({
  ...about,
  run({ environment, words, flags }) {
    const action = actions[words[0] ?? '']
    if (!action) throw new UsageError(`${name} ${Object.keys(actions).join('|')}`)
    return withDatabase(() => openMigratedDatabase(environment), action(flags, environment))
  },
})

/** Opens a connection for the command and always closes it. */
export async function withDatabase<T>(open: () => Promise<Database>, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    return await run(database)
  } finally {
    await database.close()
  }
}
