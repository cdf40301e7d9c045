import { recordChange } from '../../kernel/audit.ts'
import { directoryBinding, lookupBinding } from '../configuration/flow/collects.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import { isUnset } from '../configuration/flow/walk.ts'
import type { WidgetOf } from '../configuration/schema/widgets.ts'
import { type LookedUp, lookUp, type LookUpContext } from '../directories/look-up.ts'
import { columnsOf, readAnswers } from '../registration/answers.ts'
import { updateParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { refreshTags } from '../registration/tags.ts'
import { oneAtATime, type Progress, progressOf } from './progress.ts'
import { FIELDS, type Sent } from './sent-page.ts'

const EMAIL = '@participant.email'

export interface FoundOut {
  answers: Record<string, unknown>
  directoryTags: readonly string[]
}

const triesOf = (widget: { id: string }) => `${lookupBinding(widget.id)}.tries`

/** Whether somebody may ask once more. */
export const mayLookUp = ({ answers }: Pick<Progress, 'answers'>, widget: WidgetOf<'membershipLookup'>): boolean =>
  Number(answers[triesOf(widget)] ?? 0) < widget.allowRetry

/** Asks a directory about the person, with what they typed. Never inside a transaction: the directory may take its time. Null: they asked too often. */
export async function askDirectory(
  ctx: LookUpContext,
  progress: Progress,
  widget: WidgetOf<'membershipLookup'>,
  sent: Sent,
): Promise<FoundOut | null> {
  const { scene, row, answers: before } = progress
  if (!mayLookUp(progress, widget)) return null
  const typed = (input: string) => (input === 'email' ? (row.email ?? '') : (sent(FIELDS.lookup(widget, input))[0]?.trim() ?? ''))
  const inputs = Object.fromEntries(widget.inputs.flatMap((input) => (typed(input) === '' ? [] : [[input, typed(input)]])))
  const { outcome, answers, modes, tags } = await lookUp(ctx, widget.connection, inputs, {
    fields: dataFieldsOf(scene.config),
    zone: scene.timezone,
    country: scene.config.details.venue?.country,
  })
  // What they typed themselves stays, also on this very page, unless the directory is to have the last word.
  const isOpen = (binding: string) => isUnset(binding, before[binding]) && sent(binding).every((value) => value.trim() === '')
  const filled = Object.entries(answers).filter(([binding]) => binding !== EMAIL && (modes[binding] !== 'prefill' || isOpen(binding)))
  const tries = Number(before[triesOf(widget)] ?? 0) + 1
  return {
    answers: { ...Object.fromEntries(filled), [lookupBinding(widget.id)]: outcome, [triesOf(widget)]: tries },
    directoryTags: [...new Set([...row.directory_tags, ...tags])],
  }
}

/** What the flow's own directory said of somebody who came by a mailed link, and so reads the mailbox: it fills in what they left open. */
export async function keepLookedUp(ctx: AtEvent, participantId: string, looked: LookedUp): Promise<void> {
  await oneAtATime(ctx, participantId)
  const { row, flow, scene, answers } = await progressOf(ctx, participantId)
  if (flow.directory === null || row.status !== 'incomplete') return
  const known = readAnswers({ config: scene.config, flow }, looked.answers).answers
  const filled = Object.entries(known).filter(
    ([binding, value]) =>
      value !== null && binding !== EMAIL && (looked.modes[binding] !== 'prefill' || isUnset(binding, answers[binding])),
  )
  const after = { ...answers, ...Object.fromEntries(filled), [directoryBinding(flow.directory)]: looked.outcome }
  await updateParticipant(ctx, row, {
    ...columnsOf(after),
    directory_tags: [...new Set([...row.directory_tags, ...looked.tags])],
  })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { ...answers }, after })
  await refreshTags(ctx, scene.config, [row.id])
}
