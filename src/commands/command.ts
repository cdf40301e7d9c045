import { name } from '../kernel/args.ts'
import type { Database } from '../kernel/ports.ts'
import type { Environment } from '../platform/environment.ts'

/** Wrong usage, with a message for the operator. Any other error is a bug. */
export class UsageError extends Error {}

export interface CommandResult {
  /** For people. */
  text: string
  /** For programs, with --json. */
  data: unknown
  /** The command ran but found problems. */
  failed?: boolean
}

export type Flags = Record<string, string | boolean | undefined>

export interface Command {
  usage: string
  summary: string
  options?: Record<string, 'string' | 'boolean'>
  run: (given: { environment: Environment; words: readonly string[]; flags: Flags }) => Promise<CommandResult>
}

export function requireFlag(flags: Flags, name: string): string {
  const value = flags[name]
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is needed`)
  return value.trim()
}

export const readFlag = (flags: Flags, name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined)

/** The cleaned name; a name without visible characters is rejected. */
export function readNameFlag(flags: Flags): string {
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
