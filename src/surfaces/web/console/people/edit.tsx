import { collectedBy } from '../../../../domains/configuration/flow/collects.ts'
import { type DataField, dataFieldsOf } from '../../../../domains/configuration/data-fields.ts'
import { readDraft, readLive } from '../../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { editParticipant } from '../../../../domains/registration/edit.ts'
import { toParticipant } from '../../../../domains/registration/participant-shape.ts'
import { CountrySelect } from '../../components/codes.tsx'
import { Actions, Button, ErrorSummary, errorOf, Form, Input, LinkButton, Select, TextArea } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card } from '../../components/parts.tsx'
import { attempt, type Refused } from '../../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../../web.ts'
import { changeAtEvent } from '../event/at-event.ts'
import { consolePages, formOf, frame } from '../frame.tsx'
import { type AtPerson, atPerson, participantOf, PERSON_PATH } from './at-person.ts'

/** What a plain field can hold; files and lists are for the person's own page. */
const PLAIN: ReadonlySet<DataField['type']> = new Set([
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

/** What the person's flow asks of them, and always what they are called. */
function fieldsFor(config: EventConfig, { row, permissions }: AtPerson): DataField[] {
  const flow = config.flows.find(({ slug }) => slug === row.flow_slug)
  const asked = new Set(
    flow?.pages.flatMap(({ widgets }) => widgets.flatMap((widget) => collectedBy(config, widget).map(({ binding }) => binding))),
  )
  for (const always of ['firstName', 'lastName', 'email', 'company', 'jobTitle']) asked.add(`@participant.${always}`)
  const mayRead = permissions.has('personal.read')
  return dataFieldsOf(config).filter(
    ({ binding, type, retired, personal, source }) =>
      asked.has(binding) && PLAIN.has(type) && !retired && (mayRead || (!personal && source === 'standard')),
  )
}

function valuesOf(at: AtPerson, fields: readonly DataField[]): Record<string, string> {
  const shown = toParticipant(at.row, at.permissions) as Record<string, unknown>
  const own = (shown['customFieldResponses'] ?? {}) as Record<string, unknown>
  const of = ({ binding, customFieldCode }: DataField) =>
    customFieldCode ? own[customFieldCode] : shown[binding.slice('@participant.'.length)]
  const written = (value: unknown) =>
    value === null || value === undefined ? '' : value === true ? 'yes' : value === false ? 'no' : String(value)
  return Object.fromEntries(fields.map((field) => [field.binding, written(of(field))]))
}

/** As `edit_participant` takes it; what is emptied is taken away. */
function answerIn({ type }: DataField, typed: string): unknown {
  const text = typed.trim()
  if (text === '') return null
  if (type === 'boolean') return text === 'yes'
  return type === 'number' && Number.isFinite(Number(text)) ? Number(text) : text
}

const Control = ({ field, value, error }: { field: DataField; value: string; error: string | undefined }) => {
  const common = { name: field.binding, label: field.label, value, error }
  if (field.type === 'longText') return <TextArea {...common} rows={3} />
  if (field.type === 'country') return <CountrySelect {...common} none="Not said" />
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
        options={[{ value: '', label: 'Not said' }, ...choices.map(([code, label]) => ({ value: code!, label: label! }))]}
      />
    )
  }
  return <Input {...common} type={field.type === 'email' ? 'email' : field.type === 'date' ? 'date' : 'text'} autocomplete="off" />
}

/** `…/participants/<id>/edit`: what the person said of themselves, put right. */
export function personEditPages(web: Web) {
  async function fields(at: AtPerson) {
    const draft = await readDraft(at.reading)
    return fieldsFor(((at.event.testMode ? null : await readLive(at.reading, draft)) ?? draft).config, at)
  }

  async function page(c: WebContext, at: AtPerson, form: FormValues | null = null, refused: Refused | null = null) {
    const asked = await fields(at)
    const values = form ?? valuesOf(at, asked)
    return frame(
      web,
      c,
      { title: `Edit ${at.name}`, current: `${at.base}/participants`, client: at.client, event: at, status: refused ? 400 : 200 },
      <>
        <Heading title={`Edit ${at.name}`} text="No mail is sent." crumbs={[{ href: at.here, label: at.name }]} />
        <ErrorSummary {...refused} />
        <Card>
          <Form action={`${at.here}/edit`} csrf={csrfFor(web, c)} class="stack">
            <input type="hidden" name="revision" value={String(at.row.revision)} />
            <div class="fields-2">
              {asked.map((field) => (
                <Control field={field} value={values[field.binding] ?? ''} error={errorOf(refused?.errors, field.binding)} />
              ))}
            </div>
            <Actions>
              <Button tone="primary">Save</Button>
              <LinkButton href={at.here}>Cancel</LinkButton>
            </Actions>
          </Form>
        </Card>
      </>,
    )
  }

  return consolePages(web)
    .get(`${PERSON_PATH}/edit`, async (c) => page(c, await atPerson(web, c, 'registration.write')))
    .post(`${PERSON_PATH}/edit`, async (c) => {
      const form = await formOf(web, c)
      const at = await atPerson(web, c, 'registration.write')
      const asked = await fields(at)
      const before = valuesOf(at, asked)
      const changed = asked.filter(({ binding }) => form[binding] !== undefined && form[binding].trim() !== before[binding])
      const data = Object.fromEntries(changed.map((field) => [field.binding, answerIn(field, form[field.binding]!)]))
      const labels = new Map(asked.map(({ binding, label }) => [binding, label]))
      const refused =
        changed.length === 0
          ? null
          : await attempt(
              () =>
                changeAtEvent(web, at, 'edit_participant', async (ctx) =>
                  editParticipant(ctx, await participantOf(ctx, at.row.id), {
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
      if (refused?.reason === 'movedOn')
        return page(c, at, form, {
          message: 'Somebody changed this registration while you were editing. Your input is kept here: check it, and save again.',
        })
      return refused ? page(c, at, form, refused) : c.redirect(`${at.here}?done=saved`, 303)
    })
}
