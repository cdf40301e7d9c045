import { z } from 'zod'
import { count, list, oneOf, text } from '../../kernel/args.ts'
import { recordChange } from '../../kernel/audit.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { conflict, preconditionFailed } from '../../kernel/errors.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import { isOwnAnswer } from '../configuration/field-descriptors.ts'
import type { Walk } from '../configuration/flow/walk.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { identityOf } from './add.ts'
import { type Answers, answersOf, columnsOf } from './answers.ts'
import { type DescribedPerson, personBefore } from './described-person.ts'
import { labelOf } from './missing.ts'
import { AnswerFault, readOwnAnswers } from './own-answers.ts'
import { type Editor, refusalOfAnswer, refusalOfEdits } from './own-editing.ts'
import { type AtRegistration, MissingAnswers, ownMissing, ownScene, shownQuestions, walkFor } from './own-flow.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { findTwin, updateParticipant } from './people.ts'

export const EditedOwn = {
  status: oneOf(['updated', 'unchanged', 'validation_failed']),
  changed: list(text()),
  errors: list(AnswerFault),
  missing: MissingAnswers,
  revision: count(1, 2_147_483_647),
}

export type EditedOwn = z.input<z.ZodObject<typeof EditedOwn>>
type Person = DescribedPerson & { participant: ParticipantRow }

/** Changes what somebody answered, all of it or nothing. What it costs, what was bought and what was agreed to stay as they are. */
export async function editOwnRegistration(
  ctx: AtRegistration,
  { data, ifRevision, by = 'person' }: { data: Answers; ifRevision?: number | undefined; by?: Editor },
): Promise<EditedOwn> {
  const { configuration, row, flow } = await ownScene(ctx)
  checkRevision({ kind: 'The registration', name: row.id, revision: row.revision }, ifRevision)
  const refusal = refusalOfEdits(row, flow, configuration.facts)
  if (refusal !== null || flow === null) throw preconditionFailed(refusal!)
  const before = await personBefore(ctx, configuration, flow, row)
  const walkBefore = walkFor(before)
  const { answers, errors } = readEdit(before, flow, data, by)
  const after: Person = { ...before, answers: { ...before.answers, ...answers } }
  const walkAfter = walkFor(after)
  const faults = [...errors, ...unasked(after, walkAfter, answers), ...emptied(after, walkAfter, answers)]
  const asIs = { missing: ownMissing(before, walkBefore), revision: row.revision }
  if (faults.length > 0) return { status: 'validation_failed', changed: [], errors: faults, ...asIs }

  const stored = answersOf(row)
  const asked = { ...answers, ...nowHidden(stored, walkBefore, walkAfter) }
  const kept = { ...stored, ...asked }
  const changed = Object.keys(asked).filter((binding) => canonicalJson(kept[binding] ?? null) !== canonicalJson(stored[binding] ?? null))
  if (changed.length === 0) return { status: 'unchanged', changed, errors: [], ...asIs }
  await refuseTwin(ctx, row, kept)
  const updated = await updateParticipant(ctx, row, columnsOf(kept))
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: answersOf(updated) })
  const person = { ...after, participant: updated, answers: { ...before.answers, ...kept } }
  return { status: 'updated', changed, errors: [], missing: ownMissing(person, walkFor(person)), revision: updated.revision }
}

/** What was sent, as it is kept, and what is not for the person to change here. */
function readEdit({ configuration, answers: previous, participant }: Person, flow: Flow, data: Answers, by: Editor) {
  const { config } = configuration
  const fields = new Map(dataFieldsOf(config).map((field) => [field.binding, field]))
  const refused = Object.keys(data).flatMap((binding): AnswerFault[] => {
    const field = fields.get(binding)
    const message = field ? refusalOfAnswer(participant, field, null, by) : null
    return message === null ? [] : [{ binding, code: 'not_here', message }]
  })
  const elsewhere = new Set(refused.map(({ binding }) => binding))
  const own = Object.fromEntries(Object.entries(data).filter(([binding]) => !elsewhere.has(binding)))
  const { answers, errors } = readOwnAnswers({ configuration, flow, previous }, own)
  return { answers, errors: [...refused, ...errors] }
}

/** Only what they are asked can be answered; anything may be taken back. */
function unasked({ configuration: { config }, flow }: Person, walk: Walk, answers: Answers): AnswerFault[] {
  const shown = new Set(shownQuestions(config, flow, walk).map(({ field }) => field.binding))
  return Object.entries(answers)
    .filter(([binding, value]) => value !== null && !shown.has(binding))
    .map(([binding]) => ({ binding, code: 'not_here', message: `not asked of this person in the flow ${flow.slug}` }))
}

const NAMES = ['@participant.firstName', '@participant.lastName']

/** Who has finished keeps what must be answered; who has not may leave anything open but their name. */
function emptied({ configuration: { config }, participant }: Person, walk: Walk, answers: Answers): AnswerFault[] {
  const needed = participant.status === 'incomplete' ? NAMES : walk.missing.map(({ binding }) => binding)
  return Object.entries(answers)
    .filter(([binding, value]) => value === null && needed.includes(binding))
    .map(([binding]) => ({ binding, code: 'required', message: `${labelOf(config, binding)} is required` }))
}

/** Answers that were counted before and are not any more go. */
const nowHidden = (stored: Answers, before: Walk, after: Walk): Record<string, null> =>
  Object.fromEntries(
    Object.keys(stored)
      .filter((binding) => isOwnAnswer(binding) && before.answer(binding) !== undefined && after.answer(binding) === undefined)
      .map((binding) => [binding, null]),
  )

async function refuseTwin(ctx: AtRegistration, row: ParticipantRow, answers: Answers): Promise<void> {
  const twin = await findTwin(ctx, { ...identityOf(answers, null), hostId: row.host_id }, { isTest: row.is_test_data })
  if (twin && twin.id !== row.id) throw conflict('Another registration has this name and email')
}
