import {
  deleteAssistantMemory,
  editAssistantMemory,
  getAssistantMemory,
  listAssistantMemories,
  type ListedAssistantMemory,
  insertAssistantMemory,
} from '../../../domains/memories/memories.ts'
import { getAssistantMemorySubject } from '../../../domains/memories/places.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { ActionCard } from '../components/form-page.tsx'
import { LinkButton } from '../components/forms.tsx'
import { renderListPage } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { StatusDot, Card, DescriptionList, Notice, type TableColumn, TimestampText } from '../components/parts.tsx'
import { catchFormErrors, type FormErrors } from '../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../web.ts'
import { sendConfirmPage, isConfirmed } from './confirm-page.tsx'
import { getClientPageContext, type ClientPageContext, getClientPageContextForChange, type PagePermissions } from './client-page.ts'
import { readListQuery } from './filters.ts'
import { runClientChange, createConsoleRouter, requireConsoleForm, sendConsolePage } from './frame.tsx'
import { getNavigationPosition } from './navigation.ts'
import {
  AssistantMemoryForm,
  getMemoryFieldLabel,
  toAssistantMemoryFormValues,
  listMemoryScopeOptions,
  readAssistantMemoryForm,
} from './memory-form.tsx'

/** The permissions to see and change memories (notes for assistants), as in the tools for memories. */
export const ASSISTANT_MEMORY_PERMISSIONS: PagePermissions = { see: 'events.read', change: 'events.write' }

export const AssistantMemoryTabs = ({ at, current }: { at: ClientPageContext; current: 'memories' | 'instructions' }) => (
  <nav class="tabs" aria-label="Memory">
    <a href={`${at.base}/memory`} aria-current={current === 'memories' ? 'page' : undefined}>
      Memories
    </a>
    <a href={`${at.base}/memory/instructions`} aria-current={current === 'instructions' ? 'page' : undefined}>
      Custom instructions
    </a>
  </nav>
)

export const ReadOnlyNotice = ({ at }: { at: ClientPageContext }) =>
  at.mayChange ? null : <Notice>You can view this page, but your role does not let you make changes.</Notice>

/** Replaces the message of a revision conflict by one for console users. */
export const explainRevisionConflict = (formErrors: FormErrors): FormErrors =>
  formErrors.reason === 'movedOn'
    ? {
        message: 'Another user saved changes while you were editing. Check your version below, then save again to replace theirs.',
      }
    : formErrors

export const listClientEvents = async (at: ClientPageContext) =>
  (await listEvents(at.reading, { limit: 100 })).items.map(({ id, summary }) => ({ id, ...summary }))

/** Filter value, in place of an event code, for memories about the client itself. Event codes never start with a dash. */
const CLIENT_ONLY = '-'

const memoryColumns = ({ base, client }: ClientPageContext): TableColumn<ListedAssistantMemory>[] => [
  { label: 'Memory', lead: true, cell: (m) => <a href={`${base}/memory/${m.id}`}>{m.title}</a> },
  { label: 'About', cell: (m) => m.event ?? `All of ${client.name}` },
  { label: 'Tags', cell: (m) => m.tags.join(', ') },
  {
    label: 'Status',
    cell: (m) =>
      m.expired ? (
        <StatusDot tone="warning">expired</StatusDot>
      ) : m.pinned ? (
        <StatusDot tone="accent">pinned</StatusDot>
      ) : (
        <StatusDot tone="success">active</StatusDot>
      ),
  },
  { label: 'Written by', cell: (m) => m.author },
  { label: 'Changed', cell: (m) => <TimestampText at={m.updatedAt} /> },
]

/** `/console/clients/:code/memory`: the memories (notes for assistants) about the client and its events. */
export function assistantMemoryPages(web: WebServices) {
  const path = '/console/clients/:code/memory'
  const one = `${path}/:memory{[0-9a-f]{24}}`

  async function list(c: WebContext) {
    const at = getClientPageContext(web, c, ASSISTANT_MEMORY_PERMISSIONS)
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `memories ${at.client.id}`, ['search', 'place'])
    const place =
      filter.place === undefined
        ? undefined
        : await getAssistantMemorySubject(at.reading, filter.place === CLIENT_ONLY ? null : filter.place)
    const events = await listClientEvents(at)
    const { items, nextCursor } = await listAssistantMemories(
      { ...at.reading, cursorScope },
      { place, search: filter.search, limit: 50, cursor },
    )
    const page = renderListPage({
      title: 'Memory',
      text: `What assistants know about ${at.client.name} and its events.`,
      actions: at.mayChange ? (
        <LinkButton href={`${at.base}/memory/new`} tone="primary">
          New memory
        </LinkButton>
      ) : null,
      before: (
        <>
          <AssistantMemoryTabs at={at} current="memories" />
          <ReadOnlyNotice at={at} />
        </>
      ),
      search: {
        action: `${at.base}/memory`,
        search: { label: 'Search memories', placeholder: 'Search text or tags', value: filter.search },
        filters: [
          {
            name: 'place',
            label: 'About',
            any: 'All memories',
            value: filter.place,
            options: [
              { value: CLIENT_ONLY, label: `All of ${at.client.name}` },
              ...events.map(({ code, name }) => ({ value: code, label: `About ${name}` })),
            ],
          },
        ],
      },
      caption: 'Memories',
      columns: memoryColumns(at),
      rows: items,
      empty: {
        title: 'No memories found',
        ask: `What do you know about parking at ${events[0]?.name ?? 'our next event'}?`,
        text: 'Assistants search these notes when they need background information.',
      },
      pages: pageLinks(`${at.base}/memory`, nextCursor),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'memory'), page)
  }

  const crumbsTo = (at: ClientPageContext) => [{ href: `${at.base}/memory`, label: 'Memory' }]

  async function newPage(c: WebContext, at: ClientPageContext, form: FormValues = {}, formErrors: FormErrors | null = null) {
    const places = listMemoryScopeOptions(at, await listClientEvents(at))
    const page = renderContentPage(
      { title: 'New memory', text: at.client.name, crumbs: crumbsTo(at), formErrors },
      <AssistantMemoryForm
        at={at}
        action={`${at.base}/memory`}
        csrf={getCsrfToken(web, c)}
        form={form}
        formErrors={formErrors}
        places={places}
      />,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'memory'), page)
  }

  async function onePage(c: WebContext, at: ClientPageContext, typed: FormValues | null = null, formErrors: FormErrors | null = null) {
    const memory = await getAssistantMemory(at.reading, c.req.param('memory') ?? '')
    const place = await getAssistantMemorySubject(at.reading, memory.eventCode)
    const here = `${at.base}/memory/${memory.id}`
    const csrf = getCsrfToken(web, c)
    const events = await listClientEvents(at)
    // The select list omits archived events, except the event of this memory, which must stay selected.
    const known = place.eventCode === null || events.some(({ code }) => code === place.eventCode)
    const places = listMemoryScopeOptions(at, known ? events : [...events, { code: place.eventCode!, name: place.name }])
    const form = typed ? { ...typed, revision: String(memory.revision) } : toAssistantMemoryFormValues(memory, place)
    const page = renderContentPage(
      { title: memory.title, text: `About ${place.name}`, crumbs: crumbsTo(at), formErrors },
      at.mayChange ? (
        <>
          <AssistantMemoryForm at={at} action={here} csrf={csrf} form={form} formErrors={formErrors} places={places} />
          <ActionCard
            title="Delete this memory"
            text="Assistants can no longer find this memory. The audit log keeps its text."
            action={`${here}/delete`}
            csrf={csrf}
            submit="Delete memory"
            tone="danger"
          />
        </>
      ) : (
        <>
          <ReadOnlyNotice at={at} />
          <Card>
            <DescriptionList
              rows={[
                ['Tags', memory.tags.join(', ') || 'none'],
                ['Pinned', memory.pinned ? 'yes' : 'no'],
                ['Expires after', form['expiresOn'] || 'never'],
              ]}
            />
            <pre class="wraps">{memory.text}</pre>
          </Card>
        </>
      ),
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'memory'), page)
  }

  return createConsoleRouter(web)
    .get(path, list)
    .get(`${path}/new`, (c) =>
      newPage(c, getClientPageContextForChange(web, c, ASSISTANT_MEMORY_PERMISSIONS), { place: c.req.query('place') ?? '' }),
    )
    .post(path, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c, ASSISTANT_MEMORY_PERMISSIONS)
      const place = await getAssistantMemorySubject(at.reading, form['place'] || null)
      const read = readAssistantMemoryForm(form, place)
      if (!('data' in read)) return newPage(c, at, form, read)
      await runClientChange(web, at.session, { client: at.client, action: 'write_memory', eventId: place.eventId }, (ctx) =>
        insertAssistantMemory(ctx, place, read.data),
      )
      return c.redirect(`${at.base}/memory?done=saved`, 303)
    })
    .get(one, (c) => onePage(c, getClientPageContext(web, c, ASSISTANT_MEMORY_PERMISSIONS)))
    .post(one, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c, ASSISTANT_MEMORY_PERMISSIONS)
      const place = await getAssistantMemorySubject(at.reading, form['place'] || null)
      const read = readAssistantMemoryForm(form, place)
      if (!('data' in read)) return onePage(c, at, form, read)
      const edit = { ...read.data, id: c.req.param('memory'), ifRevision: Number(form['revision']) || undefined }
      const formErrors = await catchFormErrors(
        () =>
          runClientChange(web, at.session, { client: at.client, action: 'edit_memory', eventId: place.eventId }, (ctx) =>
            editAssistantMemory(ctx, place, edit),
          ),
        getMemoryFieldLabel,
      )
      if (formErrors) return onePage(c, at, form, explainRevisionConflict(formErrors))
      return c.redirect(`${at.base}/memory?done=saved`, 303)
    })
    .post(`${one}/delete`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = getClientPageContextForChange(web, c, ASSISTANT_MEMORY_PERMISSIONS)
      const { id, eventId, title } = await getAssistantMemory(at.reading, c.req.param('memory'))
      if (!isConfirmed(form)) {
        const text = `Assistants can no longer find “${title}”. The audit log keeps its text.`
        const question = { title: 'Delete this memory?', text, button: 'Delete memory', back: `${at.base}/memory/${id}` }
        return sendConfirmPage(web, c, form, { ...question, ...getNavigationPosition(at, 'memory') })
      }
      await runClientChange(web, at.session, { client: at.client, action: 'delete_memory', eventId }, (ctx) =>
        deleteAssistantMemory(ctx, id),
      )
      return c.redirect(`${at.base}/memory?done=deleted`, 303)
    })
}
