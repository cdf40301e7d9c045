import { name } from '../kernel/args.ts'
import type { Database } from '../kernel/ports.ts'
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

/** Opens a connection for the command and always closes it. */
export async function withDatabase<T>(open: () => Promise<Database>, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    return await run(database)
  } finally {
    await database.close()
  }
}
