import { WEBHOOK_ANNOUNCEMENT_KINDS } from '../../kernel/announce.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'

/** Validates the kinds of messages that an endpoint subscribes to. `*` stands for all kinds, including future ones. */
export function parseMessageKinds(requested: '*' | readonly string[]): string[] {
  if (requested === '*' || requested.includes('*')) return ['*']
  const fieldErrors = requested.flatMap((kind, index) =>
    (WEBHOOK_ANNOUNCEMENT_KINDS as readonly string[]).includes(kind)
      ? []
      : [createUnknownNameFieldError(`kinds/${index}`, kind, WEBHOOK_ANNOUNCEMENT_KINDS, 'kind')],
  )
  if (requested.length === 0) fieldErrors.push({ path: 'kinds', message: 'must name at least one kind, or "*" for all' })
  if (fieldErrors.length > 0) throw invalidArguments(fieldErrors)
  return WEBHOOK_ANNOUNCEMENT_KINDS.filter((kind) => requested.includes(kind))
}
