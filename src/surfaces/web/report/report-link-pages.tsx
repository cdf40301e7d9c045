import { getFile } from '../../../domains/files/files.ts'
import {
  createReportDownloadSession,
  findReportFileLink,
  isReportDownloadSession,
  REPORT_DOWNLOAD_SESSION_SECONDS,
  type ReportFileLink,
  sendReportAccessCode,
  verifyReportAccessCode,
} from '../../../domains/reports/runs/outside-links.ts'
import { getDatabaseTime } from '../../../kernel/database-time.ts'
import { formatDay, formatNumber } from '../../../kernel/language/format.ts'
import { toDayInZone } from '../../../kernel/time.ts'
import { sendFileAsDownload } from '../../files/send-file.ts'
import { OneTimeCodeForms } from '../components/code-forms.tsx'
import { ErrorSummary } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { readCookie, writeCookie } from '../cookies.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { createEventRouter, showEventPage } from '../event/event-layout.tsx'
import { runChangeFromEventPage, type EventSite, findEventSiteByCodes } from '../event/event-site.ts'
import { maskEmailAddress } from '../signing/signing-site.tsx'
import { getCsrfToken, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'

export const REPORT_LINK_PATH = '/report/:token'

interface ReportSite {
  site: EventSite
  link: ReportFileLink
  home: string
  /** Whether the recipient has entered the emailed code in this browser. */
  isVerified: boolean
}

type Handler = (web: WebServices, c: WebContext, at: ReportSite) => Promise<Response>

/** Finds the report of an external recipient's link. Permissions are checked on every request. */
const forRecipient = (web: WebServices, handle: Handler) => async (c: WebContext) => {
  const { token = '' } = c.req.param() as Record<string, string>
  const link = await findReportFileLink(web.services.database.pool, token)
  const site =
    link && (await findEventSiteByCodes(web, c, { tenantCode: link.tenantCode, clientCode: link.client.code, eventCode: link.event.code }))
  if (!link || !site) return sendNotFoundPage(web, c)
  const reading = { db: web.services.database.read, keys: web.services.keys }
  const isVerified = await isReportDownloadSession(reading, link, readCookie(web, c, 'report'))
  return handle(web, c, { site, link, home: `/report/${token}`, isVerified })
}

interface Shown {
  message?: string
  status?: 200 | 400 | 429
  isCodeSent?: boolean
}

function show(web: WebServices, c: WebContext, at: ReportSite, { message, status = 200, isCodeSent }: Shown = {}) {
  const { site, link, home } = at
  const { say } = site.words
  const isSent = isCodeSent ?? c.req.query('sent') !== undefined
  const email = maskEmailAddress(link.email)
  const head = {
    title: say('reportLink.title', { report: link.name }),
    status: link.isOpen ? status : (410 as const),
    referrer: 'no-referrer' as const,
  }
  const body = link.isOpen ? (
    at.isVerified ? (
      <Download at={at} />
    ) : (
      <>
        <ErrorSummary message={message} />
        <p>{isSent ? say('sign.codeSent', { email }) : say('reportLink.why', { email })}</p>
        <OneTimeCodeForms words={site.words} home={home} csrf={getCsrfToken(web, c)} isSent={isSent} />
      </>
    )
  ) : (
    <Notice tone="warning">{say('reportLink.endedText', { client: site.client.name })}</Notice>
  )
  return showEventPage(
    web,
    c,
    site,
    head,
    <div class="checkout narrow">
      <div class="head">
        <h1 dir="auto">{link.isOpen ? link.name : say('reportLink.ended')}</h1>
        <p class="lead">{say('reportLink.text', { event: site.facts.name, client: site.client.name })}</p>
      </div>
      <div class="checkout-main">{body}</div>
    </div>,
  )
}

const Download = ({ at: { site, link, home } }: { at: ReportSite }) => {
  const { say, locale } = site.words
  const size = `${formatNumber(locale, Math.max(1, Math.round((link.bytes ?? 0) / 1000)))} KB`
  const day = formatDay(locale, toDayInZone(site.facts.timezone, link.expiresAt!))
  return (
    <Card>
      <div class="stack">
        <p>{say('reportLink.ready', { name: link.fileName ?? '', size, day })}</p>
        {link.containsPersonal ? <Notice tone="warning">{say('reportLink.personal')}</Notice> : null}
        <div class="actions">
          <a class="button primary" href={`${home}/file`}>
            {say('reportLink.download')}
          </a>
        </div>
      </div>
    </Card>
  )
}

const actorOf = ({ recipientId, email }: ReportFileLink) => ({
  kind: 'participant' as const,
  id: recipientId,
  name: email,
  app: { id: null, name: 'web' },
})

const postSendCode: Handler = async (web, c, at) => {
  if (!(await readSameOriginForm(web, c)) || !at.link.isOpen) return c.redirect(at.home, 303)
  const { site, link } = at
  const isSent = await runChangeFromEventPage(
    web,
    site,
    { action: 'send_report_code', actor: actorOf(link), isAnonymousStep: true },
    (ctx) => sendReportAccessCode(ctx, link, site.words.locale),
  )
  if (isSent) return c.redirect(`${at.home}?sent`, 303)
  return show(web, c, at, { message: site.words.say('sign.tooMany'), status: 429, isCodeSent: true })
}

const postCode: Handler = async (web, c, at) => {
  const form = await readSameOriginForm(web, c)
  if (!form || !at.link.isOpen) return c.redirect(at.home, 303)
  const { site, link } = at
  const code = (form['code'] ?? '').replaceAll(/\D/g, '')
  const result = await runChangeFromEventPage(web, site, { action: 'open_report_link', actor: actorOf(link) }, (ctx) =>
    verifyReportAccessCode(ctx, link, code),
  )
  if (result.kind === 'right') {
    const now = await getDatabaseTime({ db: web.services.database.read })
    writeCookie(web, c, 'report', createReportDownloadSession(web.services.keys, link, now), { maxAge: REPORT_DOWNLOAD_SESSION_SECONDS })
    return c.redirect(at.home, 303)
  }
  const { say } = site.words
  const isOut = result.kind === 'none' || result.left === 0
  return show(web, c, at, {
    message: isOut ? say('sign.noCode') : say('signIn.wrongCode', { count: result.left }),
    status: 400,
    isCodeSent: true,
  })
}

const download: Handler = async (web, c, at) => {
  const { link } = at
  if (!link.isOpen || !at.isVerified || link.fileId === null) return c.redirect(at.home, 303)
  const file = await getFile({ db: web.services.database.read, tenantId: link.tenantId }, { fileId: link.fileId })
  return sendFileAsDownload(web.services.files, c, file)
}

/** `/report/<token>`: a report's file for an external recipient, who proves access to the mailbox with a one-time code. */
export function reportLinkPages(web: WebServices) {
  const on = (handle: Handler) => forRecipient(web, handle)
  return createEventRouter(web)
    .get(
      REPORT_LINK_PATH,
      on((services, c, at) => Promise.resolve(show(services, c, at))),
    )
    .post(`${REPORT_LINK_PATH}/send-code`, on(postSendCode))
    .post(`${REPORT_LINK_PATH}/code`, on(postCode))
    .get(`${REPORT_LINK_PATH}/file`, on(download))
}
