import type { Child } from 'hono/jsx'
import type { getMessage, MessageStatus } from '../../../domains/messages/mailbox.ts'
import { formatCodeAsWords } from '../components/plain-words.ts'
import { StatusDot, Card, DescriptionList, TimestampText, type ColourTone } from '../components/parts.tsx'

type Message = Awaited<ReturnType<typeof getMessage>>

export const EMAIL_STATUS_COLOURS: Partial<Record<MessageStatus, ColourTone>> = {
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

export const EmailStatusDot = ({ of }: { of: MessageStatus }) => <StatusDot tone={EMAIL_STATUS_COLOURS[of]}>{of}</StatusDot>

export const formatEmailError = ({ lastError }: Message) =>
  lastError ? [lastError.class, lastError.enhancedCode, lastError.text].filter(Boolean).join(' · ') : ''

/** Builds a row with label and text; no row if the text is empty. */
const fact = (label: string, text: string | null): [string, Child][] => (text ? [[label, text]] : [])
const at = (label: string, moment: Date | null): [string, Child][] => (moment ? [[label, <TimestampText at={moment} />]] : [])

export const EmailDetails = ({ message: m }: { message: Message }) => (
  <DescriptionList
    rows={[
      ['To', m.to.name ? `${m.to.name} <${m.to.address}>` : m.to.address],
      ...fact('From', m.fromName),
      ...fact('Reply to', m.replyTo),
      ['Status', <EmailStatusDot of={m.status} />],
      ['Created', <TimestampText at={m.queuedAt} />],
      ...at('Handed to email server', m.handedAt),
      ...at('Sent', m.sentAt),
      ['Attempts', String(m.attempts)],
      ...at('Next attempt', m.nextAttemptAt),
      ...fact('Last error', formatEmailError(m)),
      ...fact('Event', m.eventName),
      ['Kind', formatCodeAsWords(m.emailCode ?? m.category) + (m.isTestData ? ' · test data' : '')],
    ]}
  />
)

const sizeOf = (bytes: number) =>
  bytes < 1024 ? `${bytes} bytes` : bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** Attached files. Inline images are part of the HTML and not listed. */
export const Attachments = ({ path, attachments }: { path: string; attachments: Message['attachments'] }) => {
  const files = attachments.filter(({ contentId }) => contentId === null)
  return files.length > 0 ? (
    <Card title="Attachments">
      <ul class="stack-s plain">
        {files.map(({ position, name, mime, size }) => (
          <li>
            <a href={`${path}/${position}`}>{name}</a> <span class="muted">{`${mime}, ${sizeOf(size)}`}</span>
          </li>
        ))}
      </ul>
    </Card>
  ) : null
}

const linksOf = (text: string) => [...new Set(text.match(/https?:\/\/[^\s<>"')]+/g) ?? [])]

/** The text and HTML of an email. `withLinks` lists its links, because the sandboxed frame blocks navigation. */
export const EmailBody = ({ message, withLinks }: { message: Message; withLinks: boolean }) => {
  if (message.text === null)
    return (
      <Card title="Body">
        <p>
          This email contains a code or link that gives access to an account, so only its recipient can read it. If it did not arrive, the
          recipient can request a new one.
        </p>
      </Card>
    )
  if (message.text === '' && message.html === null)
    return (
      <Card title="Body">
        <p>
          {message.category === 'signin.code'
            ? 'The code in this email has expired, so its content was deleted.'
            : 'The content of this email was deleted after 90 days.'}
        </p>
      </Card>
    )
  const links = withLinks ? linksOf(message.text) : []
  return (
    <>
      {message.html === null ? null : (
        <Card title="Preview">
          <iframe class="mail" title="Email preview" sandbox="" src={`/console/mailbox/${message.id}/html`}></iframe>
        </Card>
      )}
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
      <Card title="Text">
        <pre class="wraps" tabindex={0}>
          {message.text}
        </pre>
      </Card>
    </>
  )
}
