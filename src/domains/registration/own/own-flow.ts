import { z } from 'zod'
import { toOneLine, flag, instant, list, object, oneOf, text, truncationResult } from '../../../kernel/args.ts'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { type DataField, listParticipantDataFields } from '../../configuration/data-fields.ts'
import {
  describeField,
  fieldDescriptorSchema,
  shortenCountryChoices,
  isAnswerAboutParticipant,
} from '../../configuration/field-descriptors.ts'
import { type FlowEvaluation, evaluateFlow } from '../../configuration/flow/walk.ts'
import { type Configuration, readConfigForRegistration } from '../../configuration/read.ts'
import type { EventConfig, Flow } from '../../configuration/schema/event-config.ts'
import type { Widget } from '../../configuration/schema/widgets.ts'
import { localizeConfiguration } from '../../configuration/localize.ts'
import { getWidgetLabel, findMissingAnswers } from '../flows/describe-flow.ts'
import { type FlowParticipant, loadFlowParticipant } from '../flows/flow-participant.ts'
import { issueResumeRegistrationPath } from '../links.ts'
import { findAnswerEditRefusalReason, findEditRefusalReason } from './own-editing.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import { getParticipant } from '../participant-rows.ts'
import type { RegistrationContext } from '../event-snapshot.ts'
import { PARTICIPANT_STATUSES } from '../tables.ts'

/** The context of a call that a participant makes about one registration. */
export type OwnRegistrationContext = RegistrationContext & { person: { participantId: string } }

export const MissingAnswers = toOneLine(list(object({ binding: text(), label: z.string() })), 'binding, label')

export const OwnRegistrationFlow = {
  flowSlug: text().nullable(),
  flowName: z.string().nullable(),
  status: oneOf(PARTICIPANT_STATUSES),
  editableUntil: instant().nullable(),
  fields: toOneLine(
    list(object({ ...fieldDescriptorSchema, answered: flag(), editable: flag() })),
    'as list_data_fields, with answered and editable',
  ),
  missing: MissingAnswers,
  finishUrl: z.string().optional(),
  note: truncationResult.note,
}

export interface OwnRegistrationState {
  configuration: Configuration
  row: ParticipantRow
  /** The flow of the registration; null if it was made without a flow, or its flow no longer exists. */
  flow: Flow | null
}

/** Loads a registration and its flow, translated to the participant's language. */
export async function loadOwnRegistration(ctx: OwnRegistrationContext): Promise<OwnRegistrationState> {
  const row = await getParticipant(ctx, ctx.person.participantId)
  const inUse = await readConfigForRegistration(ctx)
  if (!inUse) throw preconditionFailed(`${ctx.event.name} is not open`)
  const configuration = localizeConfiguration(inUse, row.language)
  return { configuration, row, flow: configuration.config.flows.find(({ slug }) => slug === row.flow_slug) ?? null }
}

/** Describes the questions that the participant sees, which answers can still be edited, and which are missing. */
export async function describeOwnRegistrationFlow(ctx: OwnRegistrationContext): Promise<z.input<z.ZodObject<typeof OwnRegistrationFlow>>> {
  const { configuration, row, flow } = await loadOwnRegistration(ctx)
  const { config, facts } = configuration
  if (!flow) return { flowSlug: row.flow_slug, flowName: null, status: row.status, editableUntil: null, fields: [], missing: [] }
  const person = await loadFlowParticipant(ctx, configuration, flow, row)
  const walk = evaluateParticipantFlow(person)
  const open = findEditRefusalReason(row, flow, facts) === null && facts.status !== 'archived'
  return {
    flowSlug: flow.slug,
    flowName: flow.name,
    status: row.status,
    editableUntil: flow.editUntil,
    ...shortenCountryChoices(
      listShownQuestions(config, flow, walk).map(({ field, widget, required }) => ({
        ...describeField(field, { widget, required }, facts),
        answered: walk.answer(field.binding) !== undefined,
        editable: open && findAnswerEditRefusalReason(row, field, widget) === null,
      })),
    ),
    missing: findOwnMissingAnswers(person, walk),
    ...(row.status === 'incomplete' && open ? { finishUrl: (await issueResumeRegistrationPath(ctx, row.id, flow.slug)).path } : {}),
  }
}

export const evaluateParticipantFlow = ({ configuration: { config, facts }, flow, answers, tags }: FlowParticipant): FlowEvaluation =>
  evaluateFlow(config, flow, { answers, tags, timezone: facts.timezone, now: facts.now })

interface Question {
  field: DataField
  widget: Widget
  required: boolean
}

/** Lists the visible questions about the participant, each at its first occurrence. */
export function listShownQuestions(config: EventConfig, flow: Flow, walk: FlowEvaluation): Question[] {
  const fields = new Map(listParticipantDataFields(config).map((field) => [field.binding, field]))
  const widgets = new Map<string, Widget>(flow.pages.flatMap((page) => page.widgets.map((widget) => [widget.id, widget])))
  const found = new Map<string, Question>()
  for (const { id, bindings, required } of walk.pages.flatMap((page) => page.widgets).filter(({ visible }) => visible)) {
    for (const binding of bindings.filter(isAnswerAboutParticipant)) {
      const [field, known] = [fields.get(binding), found.get(binding)]
      const wanted = required.includes(binding) || (known?.required ?? false)
      if (field) found.set(binding, { field, widget: known?.widget ?? widgets.get(id)!, required: wanted })
    }
  }
  return [...found.values()]
}

/** Lists missing answers, except for products, policies and bookings. */
export const findOwnMissingAnswers = (person: FlowParticipant, walk: FlowEvaluation): { binding: string; label: string }[] => {
  const { config } = person.configuration
  const widgetByBinding = new Map(listShownQuestions(config, person.flow, walk).map(({ field, widget }) => [field.binding, widget]))
  return findMissingAnswers(person, walk)
    .filter(({ binding }) => widgetByBinding.has(binding))
    .map(({ binding }) => ({ binding, label: getWidgetLabel(config, widgetByBinding.get(binding), binding) }))
}
