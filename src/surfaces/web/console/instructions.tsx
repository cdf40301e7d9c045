import { findInstructions, listInstructions, MAX_INSTRUCTIONS, writeInstructions } from '../../../domains/memories/instructions.ts'
import { getMemoryPlace, type MemoryPlace } from '../../../domains/memories/places.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { formPage } from '../components/form-page.tsx'
import { findFieldError, TextArea } from '../components/forms.tsx'
import { listPage } from '../components/list-page.tsx'
import { contentPage } from '../components/page.tsx'
import { StatusLabel, Card, EmptyState, type TableColumn, Time } from '../components/parts.tsx'
import { tryChange, type FormErrors } from '../fields.ts'
import { csrfFor, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { getClientPage, type ClientPageContext, getClientPageForChange } from './client-page.ts'
import { changeClient, consolePages, getForm, placeAt, sendConsolePage } from './frame.tsx'
import { listClientEvents, MemoryTabs, explainConflict, MEMORY_PERMISSIONS, ReadOnlyNotice } from './memory.tsx'

interface InstructionRow {
  name: string
  href: string
  written: { updatedBy: string; updatedAt: Date; empty: boolean } | undefined
}

const COLUMNS: TableColumn<InstructionRow>[] = [
  { label: 'For', lead: true, cell: (p) => <a href={p.href}>{p.name}</a> },
  {
    label: 'Status',
    cell: (p) => (p.written && !p.written.empty ? <StatusLabel tone="success">written</StatusLabel> : <StatusLabel>none</StatusLabel>),
  },
  { label: 'Changed', cell: (p) => <Time at={p.written?.updatedAt ?? null} /> },
  { label: 'Changed by', cell: (p) => p.written?.updatedBy ?? '' },
]

const checkLength = (text: string): FormErrors | null =>
  text.length > MAX_INSTRUCTIONS
    ? { errors: [{ path: 'text', message: `Instructions: at most ${MAX_INSTRUCTIONS} characters. You entered ${text.length}.` }] }
    : null

/** `/console/clients/:code/memory/instructions`: instructions for assistants, for the client and each event. */
export function instructionPages(web: WebServices) {
  const path = '/console/clients/:code/memory/instructions'
  const ofClient = `${path}/client`
  const ofEvent = `${path}/events/:event{[a-z0-9-]{1,63}}`

  async function list(c: WebContext) {
    const at = getClientPage(web, c, MEMORY_PERMISSIONS)
    const [events, written] = [await listClientEvents(at), await listInstructions(at.reading)]
    const base = `${at.base}/memory/instructions`
    const places: InstructionRow[] = [
      { name: `All of ${at.client.name}`, href: `${base}/client`, written: written.get(null) },
      ...events.map(({ id, code, name }) => ({ name, href: `${base}/events/${code}`, written: written.get(id) })),
    ]
    const page = listPage({
      title: 'Custom instructions',
      text: `How assistants should work for ${at.client.name} and its events`,
      before: (
        <>
          <MemoryTabs at={at} current="instructions" />
          <ReadOnlyNotice at={at} />
        </>
      ),
      caption: 'Custom instructions',
      columns: COLUMNS,
      rows: places,
      after:
        written.size === 0 ? (
          <Card>
            <EmptyState title="No instructions yet" ask={`Which instructions do you follow at ${events[0]?.name ?? 'our events'}?`}>
              <p>Every assistant reads these instructions before it starts to work.</p>
            </EmptyState>
          </Card>
        ) : null,
    })
    return sendConsolePage(web, c, placeAt(at, 'memory'), page)
  }

  const placeIn = (c: WebContext, at: ClientPageContext): Promise<MemoryPlace> => getMemoryPlace(at.reading, c.req.param('event') ?? null)
  const hereOf = (at: ClientPageContext, { eventCode }: MemoryPlace) =>
    `${at.base}/memory/instructions/${eventCode === null ? 'client' : `events/${eventCode}`}`

  async function page(c: WebContext, at: ClientPageContext, typed: FormValues | null = null, formErrors: FormErrors | null = null) {
    const place = await placeIn(c, at)
    const { text, revision } = await findInstructions(at.reading, place)
    const list = `${at.base}/memory/instructions`
    const head = {
      title: `Instructions for ${place.name}`,
      text:
        place.eventCode === null
          ? 'These instructions apply to all events.'
          : `These instructions take precedence over those of ${at.client.name}.`,
      crumbs: [{ href: list, label: 'Custom instructions' }],
      formErrors,
    }
    const readOnly = (
      <>
        <ReadOnlyNotice at={at} />
        <Card>
          <pre class="wraps">{text || 'None yet.'}</pre>
        </Card>
      </>
    )
    const form = {
      action: hereOf(at, place),
      csrf: csrfFor(web, c),
      class: 'stack-l',
      hidden: { revision },
      submit: 'Save instructions',
      cancel: list,
      children: (
        <>
          <TextArea
            name="text"
            label="Instructions"
            rows={16}
            value={typed?.['text'] ?? text}
            error={findFieldError(formErrors?.errors, 'text')}
            help={`At most ${MAX_INSTRUCTIONS} characters. Leave empty for no instructions.`}
          />
          {formErrors?.message ? (
            <details>
              <summary>Current version</summary>
              <pre class="wraps">{text}</pre>
            </details>
          ) : null}
        </>
      ),
    }
    return sendConsolePage(web, c, placeAt(at, 'memory'), at.mayChange ? formPage({ ...head, ...form }) : contentPage(head, readOnly))
  }

  async function save(c: WebContext) {
    const form = await getForm(web, c)
    const at = getClientPageForChange(web, c, MEMORY_PERMISSIONS)
    const place = await placeIn(c, at)
    const text = cleanText(form['text'] ?? '').trim()
    const formErrors =
      checkLength(text) ??
      (await tryChange(
        () =>
          changeClient(web, at.session, { client: at.client, action: 'write_instructions', eventId: place.eventId }, (ctx) =>
            writeInstructions(ctx, place, { text, ifRevision: Number(form['revision']) || 0 }),
          ),
        () => '',
      ))
    if (formErrors) return page(c, at, form, explainConflict(formErrors))
    return c.redirect(`${at.base}/memory/instructions?done=saved`, 303)
  }

  return consolePages(web)
    .get(path, list)
    .get(ofClient, (c) => page(c, getClientPage(web, c, MEMORY_PERMISSIONS)))
    .get(ofEvent, (c) => page(c, getClientPage(web, c, MEMORY_PERMISSIONS)))
    .post(ofClient, save)
    .post(ofEvent, save)
}
