import { findAttachment, getMessage, listMessages, MESSAGE_STATUSES } from '../../../domains/messages/mailbox.ts'
import { listMyEvents } from '../../../domains/tenancy/my-events.ts'
import { notFound } from '../../../kernel/errors.ts'
import { renderListPage } from '../components/list-page.tsx'
import { renderContentPage } from '../components/page.tsx'
import { Card, Notice, type TableColumn, TimestampText } from '../components/parts.tsx'
import { buildStatusFilter } from '../components/search-bar.tsx'
import { EMAIL_CONTENT_SECURITY_POLICY } from '../content-policy.ts'
import type { WebServices, WebContext } from '../web.ts'
import { readListQuery } from './filters.ts'
import { createConsoleRouter, createAccountContext, sendConsolePage, ignoreAiAssistantRestrictions } from './frame.tsx'
import { Attachments, formatEmailError, EmailBody, EmailDetails, EmailStatusDot } from './message.tsx'

const PATH = '/console/mailbox'
const MAX_EVENT_CHOICES = 100

type ListedMessage = Awaited<ReturnType<typeof listMessages>>['items'][number]

const COLUMNS: TableColumn<ListedMessage>[] = [
  { label: 'Subject', lead: true, cell: (m) => <a href={`${PATH}/${m.id}`}>{m.subject}</a> },
  { label: 'To', twoLine: 'detail', cell: (m) => <span class="address">{m.to.address}</span> },
  { label: 'Event', twoLine: 'below', cell: (m) => <bdi>{m.eventName ?? ''}</bdi> },
  { label: 'Status', twoLine: 'mark', cell: (m) => <EmailStatusDot of={m.status} /> },
  { label: 'When', twoLine: 'figure', cell: (m) => <TimestampText at={m.queuedAt} /> },
]

type Attached = Awaited<ReturnType<typeof getMessage>>['attachments']

const SHOWN_PICTURES = /^image\/(png|jpeg|gif|webp)$/

/** Replaces cid: references by data: URLs, because the sandboxed frame may not load anything. */
async function withPictures(html: string, attachments: Attached, read: (position: number) => Promise<Buffer | null>): Promise<string> {
  let shown = html
  for (const { contentId, mime, position } of attachments) {
    if (contentId === null || !SHOWN_PICTURES.test(mime) || !html.includes(`cid:${contentId}"`)) continue
    const content = await read(position)
    if (content) shown = shown.replaceAll(`"cid:${contentId}"`, `"data:${mime};base64,${content.toString('base64')}"`)
  }
  return shown
}

/**
 * `/console/mailbox`: all emails that the organizer may see. Without an email server, emails stay here; with one, this is the log of sent
 * emails.
 */
export function mailboxPages(web: WebServices) {
  const local = web.mailTransport === 'mailbox' && !web.production
  /*
   * Sign-in codes and password links give access to an account. They are shown only in a local installation without an email server.
   * Everywhere else they are hidden from administrators and also from their recipient, because an open sign-in session must not be enough
   * to take over the account.
   */
  const showing = { showCredentials: local }
  const reading = (c: WebContext) => createAccountContext(web, c.get('session'), web.services.database.read)
  const messageOf = (c: WebContext) => {
    const id = c.req.param('id') ?? ''
    if (!/^[0-9a-f]{24}$/.test(id)) throw notFound('This message does not exist, or you have no access to it')
    return getMessage(reading(c), id, showing)
  }

  return createConsoleRouter(web)
    .get(PATH, async (c) => {
      const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, 'mailbox', ['search', 'status', 'event'])
      const status = MESSAGE_STATUSES.find((one) => one === filter.status)
      const request = { limit: 50, cursor, search: filter.search, status, eventCode: filter.event }
      const { items, nextCursor } = await listMessages({ ...reading(c), cursorScope }, request, showing)
      const { events } = await listMyEvents(
        createAccountContext(web, ignoreAiAssistantRestrictions(c.get('session')), web.services.database.read),
        {
          limit: MAX_EVENT_CHOICES,
        },
      )
      const page = renderListPage({
        title: 'Mailbox',
        text:
          web.mailTransport === 'mailbox'
            ? 'No email server is set up. Emails are stored here and not sent.'
            : 'Sent emails and their delivery status.',
        search: {
          action: PATH,
          search: { label: 'Search by address or subject', placeholder: 'Address or subject', value: filter.search },
          filters: [
            {
              name: 'event',
              label: 'Event',
              any: 'Any event',
              options: events.map(({ eventCode, name }) => ({ value: eventCode, label: name })),
              value: filter.event,
            },
            buildStatusFilter(MESSAGE_STATUSES, filter.status),
          ],
        },
        caption: 'Messages',
        columns: COLUMNS,
        rows: items,
        empty: {
          title: 'No emails found',
          text: 'Change your search. You see the emails of events where your role can read emails.',
        },
        pages: pageLinks(PATH, nextCursor),
      })
      return sendConsolePage(web, c, { current: PATH }, page)
    })
    .get(`${PATH}/:id`, async (c) => {
      const message = await messageOf(c)
      const page = renderContentPage(
        { title: message.subject, crumbs: [{ href: PATH, label: 'Mailbox' }] },
        <>
          {message.status === 'failed' || message.status === 'bounced' ? (
            <Notice tone="danger">This email was not delivered. {formatEmailError(message)}</Notice>
          ) : null}
          <Card>
            <EmailDetails message={message} />
          </Card>
          <EmailBody message={message} withLinks={local} />
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
      return sendConsolePage(web, c, { current: PATH }, page)
    })
    .get(`${PATH}/:id/html`, async (c) => {
      const message = await messageOf(c)
      if (message.html === null) throw notFound('This message has no HTML version to show')
      c.header('content-security-policy', EMAIL_CONTENT_SECURITY_POLICY)
      c.header('referrer-policy', 'no-referrer')
      c.header('cache-control', 'no-store')
      return c.html(
        await withPictures(message.html, message.attachments, (position) => findAttachment(reading(c), { id: message.id, position })),
      )
    })
    .get(`${PATH}/:id/attachments/:position`, async (c) => {
      const { id, attachments } = await messageOf(c)
      const attachment = attachments.find(({ position }) => String(position) === c.req.param('position'))
      const content = attachment ? await findAttachment(reading(c), { id, position: attachment.position }) : null
      if (!attachment || !content) throw notFound('This attachment does not exist, or is older than 90 days')
      c.header('content-security-policy', EMAIL_CONTENT_SECURITY_POLICY)
      // The attachment is always downloaded as a file, because its declared media type is not trusted.
      c.header('content-type', 'application/octet-stream')
      c.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(attachment.name)}`)
      c.header('cache-control', 'no-store')
      return c.body(new Uint8Array(content))
    })
}
