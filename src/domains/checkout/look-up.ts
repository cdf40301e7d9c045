import { lookupBinding } from '../configuration/flow/collects.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import { isUnset } from '../configuration/flow/walk.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { lookUp, type LookUpContext } from '../directories/look-up.ts'
import type { Progress } from './progress.ts'
import { FIELDS, type Sent } from './sent-page.ts'

export interface FoundOut {
  answers: Record<string, unknown>
  directoryTags: readonly string[]
}

const triesOf = (widget: { id: string }) => `${lookupBinding(widget.id)}.tries`

/** Asks a directory about the person, with what they typed. Never inside a transaction: the directory may take its time. Null: they asked too often. */
export async function askDirectory(
  ctx: LookUpContext,
  progress: Progress,
  widget: WidgetOf<'membershipLookup'>,
  sent: Sent,
): Promise<FoundOut | null> {
  const { scene, row, answers: before } = progress
  const tries = Number(before[triesOf(widget)] ?? 0)
  if (tries >= widget.allowRetry) return null
  const typed = (input: string) => (input === 'email' ? (row.email ?? '') : (sent(FIELDS.lookup(widget, input))[0]?.trim() ?? ''))
  const inputs = Object.fromEntries(widget.inputs.flatMap((input) => (typed(input) === '' ? [] : [[input, typed(input)]])))
  const { outcome, answers, modes, tags } = await lookUp(ctx, widget.connection, inputs, {
    fields: dataFieldsOf(scene.config),
    zone: scene.timezone,
    country: scene.config.details.venue?.country,
  })
  // What they typed themselves stays, unless the directory is to have the last word.
  const filled = Object.entries(answers).filter(
    ([binding]) => binding !== '@participant.email' && (modes[binding] !== 'prefill' || isUnset(binding, before[binding])),
  )
  return {
    answers: { ...Object.fromEntries(filled), [lookupBinding(widget.id)]: outcome, [triesOf(widget)]: tries + 1 },
    directoryTags: [...new Set([...row.directory_tags, ...tags])],
  }
}
