import { ANNOUNCEMENT_KINDS } from '../../kernel/announce.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { unknownNameFieldError } from '../../kernel/nearest.ts'

/** Which kinds are meant: all, also those to come, or a list of them in the order of the whole list. */
export function readKinds(asked: '*' | readonly string[]): string[] {
  if (asked === '*' || asked.includes('*')) return ['*']
  const faults = asked.flatMap((kind, index) =>
    (ANNOUNCEMENT_KINDS as readonly string[]).includes(kind) ? [] : [unknownNameFieldError(`kinds/${index}`, kind, ANNOUNCEMENT_KINDS, 'kind')],
  )
  if (asked.length === 0) faults.push({ path: 'kinds', message: 'is empty: name at least one kind, or "*" for all' })
  if (faults.length > 0) throw invalidArguments(faults)
  return ANNOUNCEMENT_KINDS.filter((kind) => asked.includes(kind))
}
