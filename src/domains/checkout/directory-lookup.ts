import { recordChange } from '../../kernel/audit.ts'
import { buildDirectoryOutcomeAnswerKey, buildLookupOutcomeAnswerKey } from '../configuration/flow/collected-answers.ts'
import { listParticipantDataFields } from '../configuration/data-fields.ts'
import { isAnswerUnset } from '../configuration/flow/walk.ts'
import type { WidgetOfType } from '../configuration/schema/widgets.ts'
import { type LookupResult, lookUpPerson, type LookUpContext } from '../directories/look-up.ts'
import { toParticipantAnswerColumns, normalizeAnswers } from '../registration/answers.ts'
import { updateParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { recalculateTags } from '../registration/tags.ts'
import { lockRegistrationProgress, type RegistrationProgress, loadRegistrationProgress } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues } from './sent-page.ts'

const EMAIL = '@participant.email'

export interface DirectoryLookupAnswers {
  answers: Record<string, unknown>
  directoryTags: readonly string[]
}

const attemptsBinding = (widget: { id: string }) => `${buildLookupOutcomeAnswerKey(widget.id)}.tries`

/** Whether the participant has attempts left for this directory lookup widget. */
export const hasLookupAttemptsLeft = (
  { answers }: Pick<RegistrationProgress, 'answers'>,
  widget: WidgetOfType<'membershipLookup'>,
): boolean => Number(answers[attemptsBinding(widget)] ?? 0) < widget.allowRetry

/**
 * Looks the participant up in a directory. Must not run inside a transaction, because the directory may be slow. Returns null if no
 * attempts are left.
 */
export async function lookUpInDirectory(
  ctx: LookUpContext,
  progress: RegistrationProgress,
  widget: WidgetOfType<'membershipLookup'>,
  sent: GetFormValues,
): Promise<DirectoryLookupAnswers | null> {
  const { snapshot, row, answers: before } = progress
  if (!hasLookupAttemptsLeft(progress, widget)) return null
  const typed = (input: string) =>
    input === 'email' ? (row.email ?? '') : (sent(NON_ANSWER_FORM_FIELDS.lookup(widget, input))[0]?.trim() ?? '')
  const inputs = Object.fromEntries(widget.inputs.flatMap((input) => (typed(input) === '' ? [] : [[input, typed(input)]])))
  const { outcome, answers, modes, tags } = await lookUpPerson(ctx, widget.connection, inputs, {
    fields: listParticipantDataFields(snapshot.config),
    zone: snapshot.timezone,
    country: snapshot.config.details.venue?.country,
  })
  // Values that the participant typed take precedence, unless the directory connection is configured to overwrite them.
  const isOpen = (binding: string) => isAnswerUnset(binding, before[binding]) && sent(binding).every((value) => value.trim() === '')
  const filled = Object.entries(answers).filter(([binding]) => binding !== EMAIL && (modes[binding] !== 'prefill' || isOpen(binding)))
  const attempts = Number(before[attemptsBinding(widget)] ?? 0) + 1
  return {
    answers: { ...Object.fromEntries(filled), [buildLookupOutcomeAnswerKey(widget.id)]: outcome, [attemptsBinding(widget)]: attempts },
    directoryTags: [...new Set([...row.directory_tags, ...tags])],
  }
}

/**
 * Fills in missing answers from the flow's directory. Only for participants who came by an emailed link and have thereby verified the
 * address.
 */
export async function saveDirectoryLookupAnswers(ctx: RegistrationContext, participantId: string, looked: LookupResult): Promise<void> {
  await lockRegistrationProgress(ctx, participantId)
  const { row, flow, snapshot, answers } = await loadRegistrationProgress(ctx, participantId)
  if (flow.directory === null || row.status !== 'incomplete') return
  const known = normalizeAnswers({ config: snapshot.config, flow }, looked.answers).answers
  const filled = Object.entries(known).filter(
    ([binding, value]) =>
      value !== null && binding !== EMAIL && (looked.modes[binding] !== 'prefill' || isAnswerUnset(binding, answers[binding])),
  )
  const after = { ...answers, ...Object.fromEntries(filled), [buildDirectoryOutcomeAnswerKey(flow.directory)]: looked.outcome }
  await updateParticipant(ctx, row, {
    ...toParticipantAnswerColumns(after),
    directory_tags: [...new Set([...row.directory_tags, ...looked.tags])],
  })
  recordChange(ctx, { kind: 'participant', id: row.id, before: { ...answers }, after })
  await recalculateTags(ctx, snapshot.config, [row.id])
}
