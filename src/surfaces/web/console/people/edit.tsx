import { listCollectedAnswers } from '../../../../domains/configuration/flow/collected-answers.ts'
import { type DataField, listParticipantDataFields } from '../../../../domains/configuration/data-fields.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { editParticipant } from '../../../../domains/registration/edit/edit.ts'
import { toParticipant } from '../../../../domains/registration/participant-shape.ts'
import { CountrySelect } from '../../components/codes.tsx'
import { renderFormPage } from '../../components/form-page.tsx'
import { findFieldError, Input, Select, TextArea } from '../../components/forms.tsx'
import { catchFormErrors, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../../web.ts'
import { runEventChange } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { type ParticipantPageContext, getParticipantPageContext, getParticipantRow, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'

/** Field types that the form supports. Files and lists can only be edited on the participant's own page. */
const SUPPORTED_TYPES: ReadonlySet<DataField['type']> = new Set([
  'text',
  'longText',
  'email',
  'phone',
  'url',
  'number',
  'date',
  'boolean',
  'choice',
  'country',
])

/** Lists the fields of the participant's flow, and always the name and company fields. */
function fieldsFor(config: EventConfig, { row, permissions }: ParticipantPageContext): DataField[] {
  const flow = config.flows.find(({ slug }) => slug === row.flow_slug)
  const asked = new Set(
    flow?.pages.flatMap(({ widgets }) => widgets.flatMap((widget) => listCollectedAnswers(config, widget).map(({ binding }) => binding))),
  )
  for (const always of ['firstName', 'lastName', 'email', 'company', 'jobTitle']) asked.add(`@participant.${always}`)
  const mayRead = permissions.has('personal.read')
  return listParticipantDataFields(config).filter(
    ({ binding, type, retired, personal, source }) =>
      asked.has(binding) && SUPPORTED_TYPES.has(type) && !retired && (mayRead || (!personal && source === 'standard')),
  )
}

function toFieldValues(at: ParticipantPageContext, fields: readonly DataField[]): Record<string, string> {
  const shown = toParticipant(at.row, at.permissions) as Record<string, unknown>
  const own = (shown['customFieldResponses'] ?? {}) as Record<string, unknown>
  const of = ({ binding, customFieldCode }: DataField) =>
    customFieldCode ? own[customFieldCode] : shown[binding.slice('@participant.'.length)]
  const written = (value: unknown) =>
    value === null || value === undefined ? '' : value === true ? 'yes' : value === false ? 'no' : String(value)
  return Object.fromEntries(fields.map((field) => [field.binding, written(of(field))]))
}

/** Converts a typed value to an argument of `edit_participant`. An empty field clears the answer. */
function parseAnswer({ type }: DataField, typed: string): unknown {
  const text = typed.trim()
  if (text === '') return null
  if (type === 'boolean') return text === 'yes'
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text
}

const Control = ({ field, value, error }: { field: DataField; value: string; error: string | undefined }) => {
  const common = { name: field.binding, label: field.label, value, error }
  if (field.type === 'longText') return <TextArea {...common} rows={3} />
  if (field.type === 'country') return <CountrySelect {...common} none="Not answered" />
  if (field.type === 'choice' || field.type === 'boolean') {
    const choices =
      field.type === 'boolean'
        ? [
            ['yes', 'Yes'],
            ['no', 'No'],
          ]
        : (field.choices ?? []).map(({ code, name }) => [code, name])
    return (
      <Select
        {...common}
        options={[{ value: '', label: 'Not answered' }, ...choices.map(([code, label]) => ({ value: code!, label: label! }))]}
      />
    )
  }
  return <Input {...common} type={field.type === 'email' ? 'email' : field.type === 'date' ? 'date' : 'text'} autocomplete="off" />
}

/** `…/participants/<id>/edit`: edits the answers of a participant. */
export function participantEditPages(web: WebServices) {
  async function fields(at: ParticipantPageContext) {
    const draft = await readDraftConfiguration(at.reading)
    return fieldsFor(((at.event.testMode ? null : await readLiveConfiguration(at.reading, draft)) ?? draft).config, at)
  }

  async function page(c: WebContext, at: ParticipantPageContext, form: FormValues | null = null, formErrors: FormErrors | null = null) {
    const asked = await fields(at)
    const values = form ?? toFieldValues(at, asked)
    const shown = renderFormPage({
      title: `Edit ${at.name}`,
      text: 'No email is sent.',
      crumbs: [{ href: at.here, label: at.name }],
      formErrors,
      action: `${at.here}/edit`,
      csrf: getCsrfToken(web, c),
      hidden: { revision: at.row.revision },
      submit: 'Save',
      cancel: at.here,
      children: (
        <div class="fields-2">
          {asked.map((field) => (
            <Control field={field} value={values[field.binding] ?? ''} error={findFieldError(formErrors?.errors, field.binding)} />
          ))}
        </div>
      ),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), shown)
  }

  return createConsoleRouter(web)
    .get(`${CONSOLE_PARTICIPANT_PATH}/edit`, async (c) => page(c, await getParticipantPageContext(web, c, 'registration.write')))
    .post(`${CONSOLE_PARTICIPANT_PATH}/edit`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getParticipantPageContext(web, c, 'registration.write')
      const asked = await fields(at)
      const before = toFieldValues(at, asked)
      const changed = asked.filter(({ binding }) => form[binding] !== undefined && form[binding].trim() !== before[binding])
      const data = Object.fromEntries(changed.map((field) => [field.binding, parseAnswer(field, form[field.binding]!)]))
      const labels = new Map(asked.map(({ binding, label }) => [binding, label]))
      const formErrors =
        changed.length === 0
          ? null
          : await catchFormErrors(
              () =>
                runEventChange(web, at, 'edit_participant', async (ctx) =>
                  editParticipant(ctx, await getParticipantRow(ctx, at.row.id), {
                    data,
                    credit: 'policy',
                    keepGuests: false,
                    reprice: false,
                    overrideCapacity: false,
                    ifRevision: Number(form['revision']) || 0,
                  }),
                ),
              (path) => labels.get(path) ?? '',
            )
      if (formErrors?.reason === 'movedOn')
        return page(c, at, form, {
          message: 'Another user changed this registration while you were editing. Check your version below, then save again.',
        })
      return formErrors ? page(c, at, form, formErrors) : c.redirect(`${at.here}?done=saved`, 303)
    })
}
