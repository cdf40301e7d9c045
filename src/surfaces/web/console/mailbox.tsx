import { findAttached, getMessage, listMessages, MESSAGE_STATUSES } from '../../../domains/messages/mailbox.ts'
import { notFound } from '../../../kernel/errors.ts'
import { Heading } from '../components/layout.tsx'
import { Card, Empty, Notice, Pagination, Table, Time } from '../components/parts.tsx'
import { SearchBar } from '../components/search-bar.tsx'
import { MAIL_POLICY } from '../content-policy.ts'
import type { Web, WebContext } from '../web.ts'
import { filterOf, pagesAround, scopeOf } from './filters.ts'
import { consolePages, contextOf, frame } from './frame.tsx'
import { Attachments, errorText, MessageBody, MessageFacts, Status } from './message.tsx'

const PATH = '/console/mailbox'

type Messages = Awaited<ReturnType<typeof listMessages>>['items']

const MessageTable = ({ messages }: { messages: Messages }) => (
  <Table
    caption="Messages"
    rows={messages}
    columns={[
      { label: 'Subject', lead: true, cell: (m) => <a href={`${PATH}/${m.id}`}>{m.subject}</a> },
      { label: 'To', cell: (m) => m.to.address },
      { label: 'Event', short: true, cell: (m) => (m.eventCode ? <code>{m.eventCode}</code> : '') },
      { label: 'Status', cell: (m) => <Status of={m.status} /> },
      { label: 'When', cell: (m) => <Time at={m.queuedAt} /> },
    ]}
  />
)

const Search = ({ search, status, event }: { search?: string | undefined; status?: string | undefined; event?: string | undefined }) => (
  <SearchBar
    action={PATH}
    label="Search by address or subject"
    placeholder="Address or subject"
    search={search}
    status={status}
    statuses={MESSAGE_STATUSES}
  >
    <label class="hidden" for="event">
      Event code
    </label>
    <input id="event" name="event" type="text" value={event} placeholder="Event code" />
  </SearchBar>
)

type Attached = Awaited<ReturnType<typeof getMessage>>['attachments']

const SHOWN_PICTURES = /^image\/(png|jpeg|gif|webp)$/

/** The mail with the pictures it carries in place of their names; a frame that loads nothing could not ask for them. */
async function withPictures(html: string, attachments: Attached, read: (position: number) => Promise<Buffer | null>): Promise<string> {
  let shown = html
  for (const { contentId, mime, position } of attachments) {
    if (contentId === null || !SHOWN_PICTURES.test(mime) || !html.includes(`cid:${contentId}"`)) continue
    const content = await read(position)
    if (content) shown = shown.replaceAll(`"cid:${contentId}"`, `"data:${mime};base64,${content.toString('base64')}"`)
  }
  return shown
}

/** `/console/mailbox`: every mail the organizer may look at. Without a mail server this is where mail ends; with one it is the log of what left. */
export function mailboxPages(web: Web) {
  const local = web.mailTransport === 'mailbox' && !web.production
  /*
   * Sign-in codes and password links let whoever reads them in as somebody else. They are shown only where that is the point: no mail
   * server, and an address that nobody but this machine reaches. Anywhere else their bodies stay hidden, from administrators and from the
   * recipient's own open browser alike, because a session left open must not be enough to take the account over.
   */
  const showing = { showCredentials: local }
  const reading = (c: WebContext) => contextOf(web, c.get('session'), web.road.database.read)
  const messageOf = (c: WebContext) => {
    const id = c.req.param('id') ?? ''
    if (!/^[0-9a-f]{24}$/.test(id)) throw notFound('No such message among those you may see')
    return getMessage(reading(c), id, showing)
  }

  return consolePages(web)
    .get(PATH, async (c) => {
      const filter = filterOf(c, ['search', 'status', 'event'])
      const cursor = c.req.query('cursor') || undefined
      const ctx = { ...reading(c), cursorScope: scopeOf(c.get('session').userId, 'mailbox', filter) }
      const status = MESSAGE_STATUSES.find((one) => one === filter.status)
      const { items, nextCursor } = await listMessages(
        ctx,
        { limit: 50, cursor, search: filter.search, status, eventCode: filter.event },
        showing,
      )
      return frame(
        web,
        c,
        { title: 'Mailbox', current: PATH },
        <>
          <Heading
            title="Mailbox"
            text={
              web.mailTransport === 'mailbox'
                ? 'No mail server is set up: mail is kept here and does not leave.'
                : 'Mail that was sent, and what became of it.'
            }
          />
          <Card pad={false}>
            <Search {...filter} />
            {items.length > 0 ? (
              <MessageTable messages={items} />
            ) : (
              <Empty title="No mail here">
                <p>Nothing matches, nothing was sent yet, or it is of an event where you do not hold email.read.</p>
              </Empty>
            )}
            <Pagination {...pagesAround(PATH, filter, cursor, nextCursor)} />
          </Card>
        </>,
      )
    })
    .get(`${PATH}/:id`, async (c) => {
      const message = await messageOf(c)
      return frame(
        web,
        c,
        { title: message.subject, current: PATH },
        <>
          <Heading title={message.subject} crumbs={[{ href: PATH, label: 'Mailbox' }]} />
          {message.status === 'failed' || message.status === 'bounced' ? (
            <Notice tone="danger">This mail did not arrive. {errorText(message)}</Notice>
          ) : null}
          <Card>
            <MessageFacts message={message} />
          </Card>
          <MessageBody message={message} withLinks={local} />
          <Attachments path={`${PATH}/${message.id}/attachments`} attachments={message.attachments} />
          <Card title="Headers">
            <pre class="wraps" tabindex={0}>
              {[
                `Message-ID: ${message.messageIdHeader}`,
                `Content-Language: ${message.language}`,
                ...Object.entries(message.headers).map(([name, value]) => `${name}: ${value}`),
              ].join('\n')}
            </pre>
          </Card>
        </>,
      )
    })
    .get(`${PATH}/:id/html`, async (c) => {
      const message = await messageOf(c)
      if (message.html === null) throw notFound('This message has no HTML that can be shown')
      c.header('content-security-policy', MAIL_POLICY)
      c.header('referrer-policy', 'no-referrer')
      c.header('cache-control', 'no-store')
      return c.html(
        await withPictures(message.html, message.attachments, (position) => findAttached(reading(c), { id: message.id, position })),
      )
    })
    .get(`${PATH}/:id/attachments/:position`, async (c) => {
      const { id, attachments } = await messageOf(c)
      const attachment = attachments.find(({ position }) => String(position) === c.req.param('position'))
      const content = attachment ? await findAttached(reading(c), { id, position: attachment.position }) : null
      if (!attachment || !content) throw notFound('No such attachment, or it is older than 90 days')
      c.header('content-security-policy', MAIL_POLICY)
      // Saved, never shown: what it says of its kind decides nothing here.
      c.header('content-type', 'application/octet-stream')
      c.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(attachment.name)}`)
      c.header('cache-control', 'no-store')
      return c.body(new Uint8Array(content))
    })
}
