import { name } from '../kernel/args.ts'
import type { Database } from '../kernel/ports.ts'
import type { Environment } from '../platform/environment.ts'

/** A refusal in words the operator can act on; anything else that is thrown is a fault. */
export class UsageError extends Error {}

export interface Answer {
  /** For people. */
  text: string
  /** For programs, with --json. */
  data: unknown
  /** Not all is well, though the command did its work. */
  failed?: boolean
}

export type Flags = Record<string, string | boolean | undefined>

export interface Command {
  usage: string
  summary: string
  options?: Record<string, 'string' | 'boolean'>
  run: (given: { environment: Environment; words: readonly string[]; flags: Flags }) => Promise<Answer>
}

export function needed(flags: Flags, name: string): string {
  const value = flags[name]
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is needed`)
  return value.trim()
}

export const optional = (flags: Flags, name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined)

/** The name as it is kept; one of which nothing is left to see is none. */
export function nameIn(flags: Flags): string {
  const read = name().safeParse(needed(flags, 'name'))
  if (!read.success) throw new UsageError(`--name ${read.error.issues[0]!.message}`)
  return read.data
}

/** A command's own connection, closed whatever happens. */
export async function withDatabase<T>(open: () => Promise<Database>, run: (database: Database) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    return await run(database)
  } finally {
    await database.close()
  }
}
