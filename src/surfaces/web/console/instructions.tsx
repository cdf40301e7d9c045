import {
  findAssistantInstructions,
  listInstructions,
  MAX_INSTRUCTIONS_CHARACTERS,
  saveCustomInstructions,
} from '../../../domains/memories/instructions.ts'
import { getAssistantMemorySubject, type AssistantMemorySubject } from '../../../domains/memories/places.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { formatInteger } from '../components/figures.tsx'
import { renderFormPage } from '../components/form-page.tsx'
import { findFieldError, LinkButton, TextArea } from '../components/forms.tsx'
import { renderListPage } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { AssistantPrompt, StatusDot, Card, type TableColumn, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, type FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange } from './client-page.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import { listClientEvents, AssistantMemoryTabs, explainRevisionConflict, ASSISTANT_MEMORY_PERMISSIONS, ReadOnlyNotice } from './memory.tsx'

interface InstructionRow {
  name: string
  href: string
  written: { updatedBy: string; updatedAt: Date; empty: boolean } | undefined
}

const isWritten = ({ written }: InstructionRow) => written !== undefined && !written.empty

const columns = (mayChange: boolean): TableColumn<InstructionRow>[] => [
  { label: 'For', lead: true, cell: (p) => <a href={p.href}>{p.name}</a> },
  {
    label: 'Status',
    twoLine: 'mark',
    cell: (p) => (isWritten(p) ? <StatusDot tone="success">written</StatusDot> : <StatusDot hollow>none</StatusDot>),
  },
  { label: 'Changed', twoLine: 'detail', cell: (p) => (p.written ? <TimestampText at={p.written.updatedAt} /> : '') },
  { label: 'Changed by', cell: (p) => p.written?.updatedBy ?? '' },
  ...(mayChange
    ? [
        {
          label: '',
          twoLine: 'figure' as const,
          cell: (p: InstructionRow) => (
            <LinkButton small href={p.href}>
              {isWritten(p) ? 'Edit' : 'Write'}
              <span class="hidden"> instructions for {p.name}</span>
            </LinkButton>
          ),
        },
      ]
    : []),
]

const checkLength = (text: string): FormErrors | null =>
  text.length > MAX_INSTRUCTIONS_CHARACTERS
    ? {
        errors: [
          {
            path: 'text',
            message: `Instructions: at most ${formatInteger(MAX_INSTRUCTIONS_CHARACTERS)} characters. You entered ${formatInteger(text.length)}.`,
          },
        ],
      }
    : null

/** `/console/clients/:code/memory/instructions`: instructions for assistants, for the client and each event. */
export function assistantInstructionPages(web: WebServices) {
  const path = '/console/clients/:code/memory/instructions'
  const ofClient = `${path}/client`
  const ofEvent = `${path}/events/:event{[a-z0-9-]{1,63}}`

  async function list(c: WebContext) {
    const at = getClientPageContext(web, c, ASSISTANT_MEMORY_PERMISSIONS)
    const [events, written] = [await listClientEvents(at), await listInstructions(at.reading)]
    const base = `${at.base}/memory/instructions`
    const places: InstructionRow[] = [
      { name: `All of ${at.client.name}`, href: `${base}/client`, written: written.get(null) },
      ...events.map(({ id, code, name }) => ({ name, href: `${base}/events/${code}`, written: written.get(id) })),
    ]
    const page = renderListPage({
      title: 'Custom instructions',
      text: `How assistants should work for ${at.client.name} and its events. Every assistant reads them before it starts to work.`,
      before: (
        <>
          <AssistantMemoryTabs at={at} current="instructions" />
          <ReadOnlyNotice at={at} />
        </>
      ),
      caption: 'Custom instructions',
      columns: columns(at.mayChange),
      rows: places,
      foot:
        written.size === 0 && at.mayChange ? (
          <AssistantPrompt
            id="ask-instructions"
            text={`Write instructions for ${events[0]?.name ?? at.client.name} from how we worked so far, and show them to me before you save them.`}
          />
        ) : null,
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'memory'), page)
  }

  const placeIn = (c: WebContext, at: ClientPageContext): Promise<AssistantMemorySubject> =>
    getAssistantMemorySubject(at.reading, c.req.param('event') ?? null)
  const hereOf = (at: ClientPageContext, { eventCode }: AssistantMemorySubject) =>
    `${at.base}/memory/instructions/${eventCode === null ? 'client' : `events/${eventCode}`}`

  async function page(c: WebContext, at: ClientPageContext, typed: FormValues | null = null, formErrors: FormErrors | null = null) {
    const place = await placeIn(c, at)
    const { text, revision } = await findAssistantInstructions(at.reading, place)
    const list = `${at.base}/memory/instructions`
    const head = {
      title: `Instructions for ${place.name}`,
      text:
        place.eventCode === null
          ? `These instructions apply to all events of ${at.client.name}.`
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
      csrf: getCsrfToken(web, c),
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
            help={`For example how to address people, who approves refunds, which words to avoid. At most ${formatInteger(MAX_INSTRUCTIONS_CHARACTERS)} characters. Leave empty for no instructions.`}
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
    return sendConsolePage(
      web,
      c,
      getNavigationPosition(at, 'memory'),
      at.mayChange ? renderFormPage({ ...head, ...form }) : renderContentPage(head, readOnly),
    )
  }

  async function save(c: WebContext) {
    const form = await requireConsoleForm(web, c)
    const at = getClientPageContextForChange(web, c, ASSISTANT_MEMORY_PERMISSIONS)
    const place = await placeIn(c, at)
    const text = cleanText(form['text'] ?? '').trim()
    const formErrors =
      checkLength(text) ??
      (await catchFormErrors(
        () =>
          runClientChange(web, at.session, { client: at.client, action: 'write_instructions', eventId: place.eventId }, (ctx) =>
            saveCustomInstructions(ctx, place, { text, ifRevision: Number(form['revision']) || 0 }),
          ),
        () => '',
      ))
    if (formErrors) return page(c, at, form, explainRevisionConflict(formErrors))
    return c.redirect(`${at.base}/memory/instructions?done=saved`, 303)
  }

  return createConsoleRouter(web)
    .get(path, list)
    .get(ofClient, (c) => page(c, getClientPageContext(web, c, ASSISTANT_MEMORY_PERMISSIONS)))
    .get(ofEvent, (c) => page(c, getClientPageContext(web, c, ASSISTANT_MEMORY_PERMISSIONS)))
    .post(ofClient, save)
    .post(ofEvent, save)
}
