import { deleteMemory, editMemory, getMemory, listMemories, type ListedMemory, writeMemory } from '../../../domains/memories/memories.ts'
import { getPlace } from '../../../domains/memories/places.ts'
import { listEvents } from '../../../domains/tenancy/events.ts'
import { Button, ErrorSummary, Form, LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Empty, Facts, Notice, Pagination, Table, Time } from '../components/parts.tsx'
import { SearchBar } from '../components/search-bar.tsx'
import { attempt, type Refused } from '../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { askFirst, isSure } from './ask-first.tsx'
import { atClient, type AtClient, changingAt, type Demands } from './at-client.ts'
import { filterOf, pagesAround, scopeOf } from './filters.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { MemoryForm, memoryLabel, memoryValues, placeOptions, readMemory } from './memory-form.tsx'

/** What the memory tools ask for. */
export const OF_MEMORY: Demands = { see: 'events.read', change: 'events.write' }

export const MemoryTabs = ({ at, current }: { at: AtClient; current: 'memories' | 'instructions' }) => (
  <nav class="tabs" aria-label="Memory">
    <a href={`${at.base}/memory`} aria-current={current === 'memories' ? 'page' : undefined}>
      Memories
    </a>
    <a href={`${at.base}/memory/instructions`} aria-current={current === 'instructions' ? 'page' : undefined}>
      Custom instructions
    </a>
  </nav>
)

export const ReadOnly = ({ at }: { at: AtClient }) =>
  at.mayChange ? null : <Notice>You can read this. Changing it needs the events.write permission.</Notice>

/** A slower save is told in the words of people who have colleagues. */
export const movedOn = (refused: Refused): Refused =>
  refused.reason === 'movedOn'
    ? {
        message:
          'Somebody else saved this while you were editing. Your input is kept here: check it, and save again to put it over theirs.',
      }
    : refused

export const eventsOf = async (at: AtClient) =>
  (await listEvents(at.reading, { limit: 100 })).items.map(({ id, summary }) => ({ id, ...summary }))

/** No code starts with a dash: the client itself. */
const CLIENT_ONLY = '-'

const Search = ({
  at,
  search,
  place,
  events,
}: {
  at: AtClient
  search?: string | undefined
  place?: string | undefined
  events: Listed
}) => (
  <SearchBar action={`${at.base}/memory`} label="Search memories" placeholder="Search by words or tags" search={search}>
    <label class="hidden" for="place">
      About
    </label>
    <select id="place" name="place">
      <option value="">About anything</option>
      <option value={CLIENT_ONLY} selected={place === CLIENT_ONLY}>
        About all of {at.client.name}
      </option>
      {events.map(({ code, name }) => (
        <option value={code} selected={code === place}>
          About {name}
        </option>
      ))}
    </select>
  </SearchBar>
)

type Listed = Awaited<ReturnType<typeof eventsOf>>

const MemoryTable = ({ at, memories }: { at: AtClient; memories: readonly ListedMemory[] }) => (
  <Table
    caption="Memories"
    rows={memories}
    columns={[
      { label: 'Memory', lead: true, cell: (m) => <a href={`${at.base}/memory/${m.id}`}>{m.title}</a> },
      { label: 'About', cell: (m) => m.event ?? `All of ${at.client.name}` },
      { label: 'Tags', cell: (m) => m.tags.join(', ') },
      {
        label: 'State',
        cell: (m) =>
          m.expired ? <Badge tone="warning">expired</Badge> : m.pinned ? <Badge tone="accent">pinned</Badge> : <Badge>known</Badge>,
      },
      { label: 'Written by', cell: (m) => m.author },
      { label: 'Changed', cell: (m) => <Time at={m.updatedAt} /> },
    ]}
  />
)

/** `/console/clients/:code/memory`: what assistants should know about the client and its events. */
export function memoryPages(web: Web) {
  const path = '/console/clients/:code/memory'
  const one = `${path}/:memory{[0-9a-f]{24}}`

  async function list(c: WebContext) {
    const at = atClient(web, c, OF_MEMORY)
    const filter = filterOf(c, ['search', 'place'])
    const cursor = c.req.query('cursor') || undefined
    const place = filter.place === undefined ? undefined : await getPlace(at.reading, filter.place === CLIENT_ONLY ? null : filter.place)
    const reading = { ...at.reading, cursorScope: scopeOf(at.session.userId, `memories ${at.client.id}`, filter) }
    const [events, { items, nextCursor }] = [
      await eventsOf(at),
      await listMemories(reading, { place, search: filter.search, limit: 50, cursor }),
    ]
    return frame(
      web,
      c,
      { title: 'Memory', current: `${at.base}/memory`, client: at.client },
      <>
        <Heading title="Memory" text={`What connected assistants can look up about ${at.client.name} and its events`}>
          {at.mayChange ? (
            <LinkButton href={`${at.base}/memory/new`} tone="primary">
              Write a memory
            </LinkButton>
          ) : null}
        </Heading>
        <MemoryTabs at={at} current="memories" />
        <ReadOnly at={at} />
        <Card pad={false}>
          <Search at={at} search={filter.search} place={filter.place} events={events} />
          {items.length > 0 ? (
            <MemoryTable at={at} memories={items} />
          ) : (
            <Empty title="No memories here" ask={`What do you know about parking at ${events[0]?.name ?? 'our next event'}?`}>
              <p>Once something is written here, assistants find it when they are asked.</p>
            </Empty>
          )}
          <Pagination {...pagesAround(`${at.base}/memory`, filter, cursor, nextCursor)} />
        </Card>
      </>,
    )
  }

  async function newPage(c: WebContext, at: AtClient, form: FormValues = {}, refused: Refused | null = null) {
    return frame(
      web,
      c,
      { title: 'New memory', current: `${at.base}/memory`, client: at.client, status: refused ? 400 : 200 },
      <>
        <Heading title="New memory" text={at.client.name} crumbs={[{ href: `${at.base}/memory`, label: 'Memory' }]} />
        <ErrorSummary {...refused} />
        <Card>
          <MemoryForm
            at={at}
            action={`${at.base}/memory`}
            csrf={csrfFor(web, c)}
            form={form}
            refused={refused ?? {}}
            places={placeOptions(at, await eventsOf(at))}
          />
        </Card>
      </>,
    )
  }

  async function onePage(c: WebContext, at: AtClient, typed: FormValues | null = null, refused: Refused = {}) {
    const memory = await getMemory(at.reading, c.req.param('memory') ?? '')
    const place = await getPlace(at.reading, memory.eventCode)
    const here = `${at.base}/memory/${memory.id}`
    const csrf = csrfFor(web, c)
    const events = await eventsOf(at)
    // An archived event is offered no more, but what is written about it stays there.
    const known = place.eventCode === null || events.some(({ code }) => code === place.eventCode)
    const places = placeOptions(at, known ? events : [...events, { code: place.eventCode!, name: place.name }])
    const form = typed ? { ...typed, revision: String(memory.revision) } : memoryValues(memory, place)
    return frame(
      web,
      c,
      { title: memory.title, current: `${at.base}/memory`, client: at.client, status: typed ? 400 : 200 },
      <>
        <Heading title={memory.title} text={`About ${place.name}`} crumbs={[{ href: `${at.base}/memory`, label: 'Memory' }]} />
        <ErrorSummary {...refused} />
        <ReadOnly at={at} />
        {at.mayChange ? (
          <>
            <Card>
              <MemoryForm at={at} action={here} csrf={csrf} form={form} refused={refused} places={places} />
            </Card>
            <Card title="Delete this memory">
              <div class="row-between">
                <p class="prose">Assistants no longer find it, from their next question on. What it said stays in the audit log.</p>
                <Form action={`${here}/delete`} csrf={csrf}>
                  <Button tone="danger">Delete memory</Button>
                </Form>
              </div>
            </Card>
          </>
        ) : (
          <Card>
            <Facts
              rows={[
                ['Tags', memory.tags.join(', ') || 'none'],
                ['Pinned', memory.pinned ? 'yes' : 'no'],
                ['Forget after', form['expiresOn'] || 'never'],
              ]}
            />
            <pre class="wraps">{memory.text}</pre>
          </Card>
        )}
      </>,
    )
  }

  return consolePages(web)
    .get(path, list)
    .get(`${path}/new`, (c) => newPage(c, changingAt(web, c, OF_MEMORY), { place: c.req.query('place') ?? '' }))
    .post(path, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c, OF_MEMORY)
      const place = await getPlace(at.reading, form['place'] || null)
      const read = readMemory(form, place)
      if (!('data' in read)) return newPage(c, at, form, read)
      await changeAt(web, at.session, { client: at.client, action: 'write_memory', eventId: place.eventId }, (ctx) =>
        writeMemory(ctx, place, read.data),
      )
      return c.redirect(`${at.base}/memory?done=saved`, 303)
    })
    .get(one, (c) => onePage(c, atClient(web, c, OF_MEMORY)))
    .post(one, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c, OF_MEMORY)
      const place = await getPlace(at.reading, form['place'] || null)
      const read = readMemory(form, place)
      if (!('data' in read)) return onePage(c, at, form, read)
      const edit = { ...read.data, id: c.req.param('memory'), ifRevision: Number(form['revision']) || undefined }
      const refused = await attempt(
        () =>
          changeAt(web, at.session, { client: at.client, action: 'edit_memory', eventId: place.eventId }, (ctx) =>
            editMemory(ctx, place, edit),
          ),
        memoryLabel,
      )
      if (refused) return onePage(c, at, form, movedOn(refused))
      return c.redirect(`${at.base}/memory?done=saved`, 303)
    })
    .post(`${one}/delete`, async (c) => {
      const form = await formOf(web, c)
      const at = changingAt(web, c, OF_MEMORY)
      const { id, eventId, title } = await getMemory(at.reading, c.req.param('memory'))
      if (!isSure(form)) {
        const text = `Assistants no longer find “${title}”, from their next question on. What it said stays in the audit log.`
        const place = { back: `${at.base}/memory/${id}`, current: `${at.base}/memory`, client: at.client }
        return askFirst(web, c, form, { title: 'Delete this memory?', text, button: 'Delete memory', ...place })
      }
      await changeAt(web, at.session, { client: at.client, action: 'delete_memory', eventId }, (ctx) => deleteMemory(ctx, id))
      return c.redirect(`${at.base}/memory?done=deleted`, 303)
    })
}
