import type { Child } from 'hono/jsx'
import type { getMessage, MessageStatus } from '../../../domains/messages/mailbox.ts'
import { Badge, Card, Facts, Time, type Tone } from '../components/parts.tsx'

type Message = Awaited<ReturnType<typeof getMessage>>

const TONES: Partial<Record<MessageStatus, Tone>> = {
  sent: 'success',
  delivered: 'success',
  queued: 'accent',
  claimed: 'accent',
  handed: 'accent',
  held: 'warning',
  uncertain: 'warning',
  bounced: 'danger',
  failed: 'danger',
  complained: 'danger',
}

export const Status = ({ of }: { of: MessageStatus }) => {
  const tone = TONES[of]
  return <Badge {...(tone ? { tone } : {})}>{of}</Badge>
}

export const errorText = ({ lastError }: Message) =>
  lastError ? [lastError.class, lastError.enhancedCode, lastError.text].filter(Boolean).join(' · ') : ''

/** Only what there is to tell. */
const fact = (label: string, text: string | null): [string, Child][] => (text ? [[label, text]] : [])
const at = (label: string, moment: Date | null): [string, Child][] => (moment ? [[label, <Time at={moment} />]] : [])

export const MessageFacts = ({ message: m }: { message: Message }) => (
  <Facts
    rows={[
      ['To', m.to.name ? `${m.to.name} <${m.to.address}>` : m.to.address],
      ...fact('From', m.fromName),
      ...fact('Reply to', m.replyTo),
      ['Status', <Status of={m.status} />],
      ['Written', <Time at={m.queuedAt} />],
      ...at('Handed over', m.handedAt),
      ...at('Sent', m.sentAt),
      ['Attempts', String(m.attempts)],
      ...at('Next attempt', m.nextAttemptAt),
      ...fact('Last error', errorText(m)),
      ...fact('Event', m.eventCode),
      ['Kind', [m.category, m.emailCode].filter(Boolean).join(' · ') + (m.isTestData ? ' · test data' : '')],
    ]}
  />
)

const sizeOf = (bytes: number) =>
  bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** What goes out with the mail; pictures that stand in it are part of it and not listed. */
export const Attachments = ({ path, attachments }: { path: string; attachments: Message['attachments'] }) => {
  const beside = attachments.filter(({ contentId }) => contentId === null)
  return beside.length > 0 ? (
    <Card title="Attachments">
      <ul class="stack-s plain">
        {beside.map(({ position, name, mime, size }) => (
          <li>
            <a href={`${path}/${position}`}>{name}</a> <span class="muted">{`${mime}, ${sizeOf(size)}`}</span>
          </li>
        ))}
      </ul>
    </Card>
  ) : null
}

const linksOf = (text: string) => [...new Set(text.match(/https?:\/\/[^\s<>"')]+/g) ?? [])]

/** What was written, as text and as it looks. `withLinks` offers its links to click, which a frame that leads nowhere cannot. */
export const MessageBody = ({ message, withLinks }: { message: Message; withLinks: boolean }) => {
  if (message.text === null)
    return (
      <Card title="Body">
        <p>
          This mail holds a code or link that opens somebody's account. It is for its recipient alone and is not shown here. If it did not
          arrive, they can ask for a new one.
        </p>
      </Card>
    )
  if (message.text === '' && message.html === null)
    return (
      <Card title="Body">
        <p>
          {message.category === 'signin.code'
            ? 'The code in it is good for nothing any more, so it is no longer kept.'
            : 'It is kept for 90 days, and this mail is older.'}
        </p>
      </Card>
    )
  const links = withLinks ? linksOf(message.text) : []
  return (
    <>
      {links.length > 0 ? (
        <Card title="Links">
          <ul class="stack-s plain">
            {links.map((link) => (
              <li>
                <a href={link} rel="noreferrer">
                  {link}
                </a>
              </li>
            ))}
          </ul>
        </Card>
      ) : null}
      {message.html === null ? null : (
        <Card title="As it looks">
          <iframe class="mail" title="The mail as it looks" sandbox="" src={`/console/mailbox/${message.id}/html`} loading="lazy"></iframe>
        </Card>
      )}
      <Card title="Text">
        <pre class="wraps" tabindex={0}>
          {message.text}
        </pre>
      </Card>
    </>
  )
}
