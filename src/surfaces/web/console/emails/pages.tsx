import { notFound } from '../../../../kernel/errors.ts'
import { buildListPath } from '../filters.ts'
import { LinkButton } from '../../components/forms.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { AssistantPrompt, Card, DescriptionList, Notice, StatusDot, type TableColumn } from '../../components/parts.tsx'
import { EMAIL_CONTENT_SECURITY_POLICY } from '../../content-policy.ts'
import type { ListedEmail } from '../../../../domains/messages/event-mail/email-list.ts'
import type { WebServices } from '../../web.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import {
  EMAIL_PATH,
  EMAILS_PATH,
  type EmailsPageContext,
  getEmailPageContext,
  getEmailsPageContext,
  renderExampleEmail,
} from './email-page.ts'
import { describeTrigger, EMAIL_TRIGGER_GROUPS, formatTriggerName, formatSubject } from './labels.ts'

const nameOf = ({ name, trigger }: ListedEmail) => name ?? formatTriggerName(trigger)

const querySuffix = ({ isDraft, locale, locales }: EmailsPageContext) => ({
  version: isDraft ? 'draft' : undefined,
  lang: locale === locales[0] ? undefined : locale,
})

const languages = new Intl.DisplayNames('en', { type: 'language' })

/** Links that switch between the live version and the draft of the emails, and between the languages of the event. */
const Switches = ({ at, here }: { at: EmailsPageContext; here: string }) => (
  <>
    {at.locales.length > 1 ? (
      <nav class="switch" aria-label="Language">
        {at.locales.map((one) => (
          <a
            href={buildListPath(here, { ...querySuffix(at), lang: one === at.locales[0] ? undefined : one })}
            aria-current={one === at.locale ? 'true' : undefined}
          >
            {languages.of(one) ?? one}
          </a>
        ))}
      </nav>
    ) : null}
    {at.configuration.facts.publishedVersion === null ? null : (
      <nav class="switch" aria-label="Version">
        {(['Live', 'Draft'] as const).map((label) => (
          <a
            href={buildListPath(here, { ...querySuffix(at), version: label === 'Draft' ? 'draft' : undefined })}
            aria-current={(label === 'Draft') === at.isDraft ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    )}
  </>
)

const columns = (at: EmailsPageContext): TableColumn<ListedEmail>[] => [
  {
    label: 'Email',
    lead: true,
    cell: (email) => (
      <>
        <a href={buildListPath(`${at.base}/emails/${email.key}`, querySuffix(at))} dir="auto">
          {nameOf(email)}
        </a>
        <div class="muted">{describeTrigger(email.trigger)}</div>
      </>
    ),
  },
  { label: 'Subject', twoLine: 'detail', cell: ({ subject }) => <bdi>{formatSubject(subject, at.event.name)}</bdi> },
  { label: 'Text', short: true, cell: ({ own }) => (own ? 'Own text' : <span class="muted">Built in</span>) },
  {
    label: 'Status',
    short: true,
    twoLine: 'mark',
    cell: ({ isSent }) => (isSent ? <StatusDot tone="success">On</StatusDot> : <StatusDot hollow>Off</StatusDot>),
  },
]

/** `…/emails`: the emails of the event with a preview of each. */
export function emailPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(EMAILS_PATH, async (c) => {
      const at = await getEmailsPageContext(web, c, 'email.read')
      const groups = EMAIL_TRIGGER_GROUPS.map(({ title, subjects }) => ({
        title,
        emails: at.emails.filter(({ trigger }) => subjects.includes(trigger.split('.')[0]!)),
      })).filter(({ emails }) => emails.length > 0)
      const page = renderContentPage(
        {
          title: `Emails of ${at.event.name}`,
          heading: 'Emails',
          text: 'Emails that the event sends automatically. Where you have not written your own text, ours is used.',
          crumbs: [{ href: at.base, label: at.event.name }],
          actions: <Switches at={at} here={`${at.base}/emails`} />,
        },
        <div class="aligned-tables">
          <Card title="Write a new email">
            <AssistantPrompt
              id="ask-email"
              text={`For ${at.event.name}: write an email with travel tips, in the style of our confirmation. Show me the text before you save it in the draft.`}
            />
          </Card>
          {groups.map(({ title, emails }) => (
            <ListCard title={title} caption={`Emails: ${title}`} columns={columns(at)} rows={emails} />
          ))}
        </div>,
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'emails'), page)
    })
    .get(EMAIL_PATH, async (c) => {
      const at = await getEmailPageContext(web, c, 'email.read')
      const { email } = at
      const rendered = await renderExampleEmail(at.reading, at, email)
      const suffix = querySuffix(at)
      const mayEdit = at.permissions.has('events.write') && at.event.status !== 'archived'
      const page = renderContentPage(
        {
          title: nameOf(email),
          text: describeTrigger(email.trigger),
          crumbs: [{ href: buildListPath(`${at.base}/emails`, suffix), label: 'Emails' }],
          actions: (
            <>
              <Switches at={at} here={at.here} />
              {mayEdit ? (
                <LinkButton href={`${at.here}/edit`} tone="primary">
                  {email.own ? 'Edit text' : 'Write own text'}
                </LinkButton>
              ) : null}
            </>
          ),
        },
        <>
          <Card>
            <DescriptionList
              rows={[
                ['Subject', <bdi>{rendered?.subject ?? formatSubject(email.subject, at.event.name)}</bdi>],
                ['From', <bdi>{email.own?.fromName ?? at.configuration.config.details.name}</bdi>],
                ...(email.template.attachments.length > 0 ? [['Attached', email.template.attachments.join(', ')] as [string, string]] : []),
                ['Wording', email.own ? 'Your own text' : 'Built in. Your own text replaces it.'],
              ]}
            />
          </Card>
          {rendered ? (
            <>
              <Card title="Preview" actions={<span class="muted">with an example recipient</span>}>
                <iframe class="mail" title="Email preview" sandbox="" src={buildListPath(`${at.here}/html`, suffix)}></iframe>
              </Card>
              <Card title="Plain-text version">
                <pre class="wraps" tabindex={0}>
                  {rendered.text}
                </pre>
              </Card>
            </>
          ) : (
            <Notice tone="warning">This email is turned off, so it is not sent.</Notice>
          )}
          <Card title="Change it with your assistant">
            <AssistantPrompt
              id="ask-change"
              text={`For ${at.event.name}: change the email “${nameOf(email)}” so that it also explains how to reach the venue. Show me the new text first.`}
            />
          </Card>
        </>,
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'emails'), page)
    })
    .get(`${EMAIL_PATH}/html`, async (c) => {
      const at = await getEmailPageContext(web, c, 'email.read')
      const rendered = await renderExampleEmail(at.reading, at, at.email)
      if (!rendered) throw notFound('This email is turned off')
      c.header('content-security-policy', EMAIL_CONTENT_SECURITY_POLICY)
      c.header('referrer-policy', 'no-referrer')
      c.header('cache-control', 'no-store')
      return c.html(rendered.html)
    })
}
