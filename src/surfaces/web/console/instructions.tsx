import { findInstructions, listInstructions, MAX_INSTRUCTIONS, writeInstructions } from '../../../domains/memories/instructions.ts'
import { getPlace, type Place } from '../../../domains/memories/places.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { Actions, Button, ErrorSummary, errorOf, Form, LinkButton, TextArea } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Badge, Card, Empty, Table, Time } from '../components/parts.tsx'
import { attempt, type Refused } from '../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { atClient, type AtClient, changingAt } from './at-client.ts'
import { changeAt, consolePages, formOf, frame } from './frame.tsx'
import { eventsOf, MemoryTabs, movedOn, OF_MEMORY, ReadOnly } from './memory.tsx'

interface Listed {
  name: string
  href: string
  written: { updatedBy: string; updatedAt: Date; empty: boolean } | undefined
}

const PlaceTable = ({ places }: { places: Listed[] }) => (
  <Table
    caption="Custom instructions"
    rows={places}
    columns={[
      { label: 'For', lead: true, cell: (p) => <a href={p.href}>{p.name}</a> },
      {
        label: 'State',
        cell: (p) => (p.written && !p.written.empty ? <Badge tone="success">written</Badge> : <Badge>none</Badge>),
      },
      { label: 'Changed', cell: (p) => <Time at={p.written?.updatedAt ?? null} /> },
      { label: 'By', cell: (p) => p.written?.updatedBy ?? '' },
    ]}
  />
)

const tooLong = (text: string): Refused | null =>
  text.length > MAX_INSTRUCTIONS
    ? { errors: [{ path: 'text', message: `Instructions: at most ${MAX_INSTRUCTIONS} characters, and these are ${text.length}` }] }
    : null

/** `/console/clients/:code/memory/instructions`: how assistants should work for the client, and at each event. */
export function instructionPages(web: Web) {
  const path = '/console/clients/:code/memory/instructions'
  const ofClient = `${path}/client`
  const ofEvent = `${path}/events/:event{[a-z0-9-]{1,63}}`

  async function list(c: WebContext) {
    const at = atClient(web, c, OF_MEMORY)
    const [events, written] = [await eventsOf(at), await listInstructions(at.reading)]
    const base = `${at.base}/memory/instructions`
    const places: Listed[] = [
      { name: `All of ${at.client.name}`, href: `${base}/client`, written: written.get(null) },
      ...events.map(({ id, code, name }) => ({ name, href: `${base}/events/${code}`, written: written.get(id) })),
    ]
    return frame(
      web,
      c,
      { title: 'Custom instructions', current: `${at.base}/memory`, client: at.client },
      <>
        <Heading title="Custom instructions" text={`How connected assistants should work for ${at.client.name} and at its events`} />
        <MemoryTabs at={at} current="instructions" />
        <ReadOnly at={at} />
        <Card pad={false}>
          <PlaceTable places={places} />
          {written.size === 0 ? (
            <Empty title="No instructions yet" ask={`Which instructions do you follow at ${events[0]?.name ?? 'our events'}?`}>
              <p>Write them once, and every assistant that works here reads them first.</p>
            </Empty>
          ) : null}
        </Card>
      </>,
    )
  }

  const placeIn = (c: WebContext, at: AtClient): Promise<Place> => getPlace(at.reading, c.req.param('event') ?? null)
  const hereOf = (at: AtClient, { eventCode }: Place) =>
    `${at.base}/memory/instructions/${eventCode === null ? 'client' : `events/${eventCode}`}`

  async function page(c: WebContext, at: AtClient, typed: FormValues | null = null, refused: Refused = {}) {
    const place = await placeIn(c, at)
    const { text, revision } = await findInstructions(at.reading, place)
    return frame(
      web,
      c,
      { title: `Instructions for ${place.name}`, current: `${at.base}/memory`, client: at.client, status: typed ? 400 : 200 },
      <>
        <Heading
          title={`Instructions for ${place.name}`}
          text={place.eventCode === null ? 'They hold at every event.' : `They go before those of ${at.client.name} where the two differ.`}
          crumbs={[{ href: `${at.base}/memory/instructions`, label: 'Custom instructions' }]}
        />
        <ErrorSummary {...refused} />
        <ReadOnly at={at} />
        <Card>
          {at.mayChange ? (
            <Form action={hereOf(at, place)} csrf={csrfFor(web, c)} class="stack-l">
              <input type="hidden" name="revision" value={String(revision)} />
              <TextArea
                name="text"
                label="Instructions"
                rows={16}
                value={typed?.['text'] ?? text}
                error={errorOf(refused.errors, 'text')}
                help={`At most ${MAX_INSTRUCTIONS} characters. Emptied, there are none.`}
              />
              {refused.message && typed ? (
                <details>
                  <summary>What it says now</summary>
                  <pre class="wraps">{text}</pre>
                </details>
              ) : null}
              <Actions>
                <Button tone="primary">Save instructions</Button>
                <LinkButton href={`${at.base}/memory/instructions`}>Cancel</LinkButton>
              </Actions>
            </Form>
          ) : (
            <pre class="wraps">{text || 'None yet.'}</pre>
          )}
        </Card>
      </>,
    )
  }

  async function save(c: WebContext) {
    const form = await formOf(web, c)
    const at = changingAt(web, c, OF_MEMORY)
    const place = await placeIn(c, at)
    const text = cleanText(form['text'] ?? '').trim()
    const refused =
      tooLong(text) ??
      (await attempt(
        () =>
          changeAt(web, at.session, { client: at.client, action: 'write_instructions', eventId: place.eventId }, (ctx) =>
            writeInstructions(ctx, place, { text, ifRevision: Number(form['revision']) || 0 }),
          ),
        () => '',
      ))
    if (refused) return page(c, at, form, movedOn(refused))
    return c.redirect(`${at.base}/memory/instructions?done=saved`, 303)
  }

  return consolePages(web)
    .get(path, list)
    .get(ofClient, (c) => page(c, atClient(web, c, OF_MEMORY)))
    .get(ofEvent, (c) => page(c, atClient(web, c, OF_MEMORY)))
    .post(ofClient, save)
    .post(ofEvent, save)
}
