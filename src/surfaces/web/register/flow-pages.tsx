import { withoutGuest } from '../../../domains/checkout/guest-answers.ts'
import { heldUntil, holdLonger } from '../../../domains/checkout/hold.ts'
import { askDirectory, type FoundOut } from '../../../domains/checkout/look-up.ts'
import { firstUnfinished, isFinished, progressOf } from '../../../domains/checkout/progress.ts'
import { savePage } from '../../../domains/checkout/save-page.ts'
import { type Sent, widgetsOn } from '../../../domains/checkout/sent-page.ts'
import { answersFromUploads } from '../../../domains/checkout/uploads.ts'
import { directoryBinding } from '../../../domains/configuration/flow/collects.ts'
import { waitsFor } from '../../../domains/registration/waitlist.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { eventPagesOf, Narrow, showAt } from '../event/frame.tsx'
import { AT_EVENT, changeHere } from '../event/place.ts'
import { everyValue } from '../form-values.ts'
import { readFormWithFiles } from '../uploads.ts'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { titleOf } from './answers.tsx'
import { type Standing, standingAt } from './at.ts'
import { guestToOpen } from './guests.tsx'
import { PageForm } from './page-form.tsx'
import { readView } from './read-view.ts'
import { uploadsOn } from './uploads-on.ts'
import { codeOfSegment, pageSegment } from './view.ts'

const PAGE = `${AT_EVENT}/register/:flow/:page`

interface Shown {
  sent?: Sent
  errors?: readonly FieldError[]
  message?: string
  status?: 200 | 400
  guest?: number | null
}

/** `…/register/<flow>/<page>`: one page of a flow, kept at each step. */
export function flowPages(web: Web) {
  const show = async (
    c: WebContext,
    { place, ctx, progress }: Standing,
    code: string,
    { sent, errors = [], message, status = 200, guest = null }: Shown = {},
  ) => {
    const view = await readView(ctx, place, progress, { page: code, errors, guest, ...(sent ? { sent } : {}) })
    const page = view.flow.pages.find((one) => one.code === code)!
    const until = await heldUntil(ctx, progress.row.id)
    return showAt(
      web,
      c,
      place,
      { title: page.title ?? view.flow.name, status },
      <PageForm
        view={view}
        page={page}
        csrf={csrfFor(web, c)}
        heldUntil={until}
        message={message}
        notices={noticesOf({ place, progress }, code)}
      />,
    )
  }

  /** Every page up to the first that is not done; none after it. */
  const reachable = ({ base, progress }: Standing, code: string): string | null => {
    const codes = progress.pages.map((page) => page.code)
    const unfinished = firstUnfinished(progress)
    const last = unfinished === null ? codes.length : codes.indexOf(unfinished)
    const at = codes.indexOf(code)
    if (at >= 0 && at <= last) return null
    return `${base}/${unfinished === null ? 'summary' : pageSegment(unfinished)}`
  }

  const get = async (c: WebContext) => {
    const standing = await standingAt(web, c)
    if (standing instanceof Response) return standing
    if (!standing.progress.walk.open) return notForThem(c, standing)
    const code = codeOfSegment(c.req.param('page') ?? '')
    const elsewhere = reachable(standing, code)
    return elsewhere === null ? show(c, standing, code, { guest: Number(c.req.query('guest')) || null }) : c.redirect(elsewhere, 303)
  }

  const notForThem = (c: WebContext, { place }: Standing) => {
    const { say } = place.words
    return showAt(
      web,
      c,
      place,
      { title: say('register.notForYou'), status: 403 },
      <Narrow title={say('register.notForYou')}>
        <p>{say('register.notForYouText')}</p>
      </Narrow>,
    )
  }

  const post = async (c: WebContext) => {
    const standing = await standingAt(web, c)
    if (standing instanceof Response) return standing
    const { place, progress, actor, base } = standing
    const { say } = place.words
    const code = codeOfSegment(c.req.param('page') ?? '')
    const elsewhere = reachable(standing, code)
    if (elsewhere !== null) return c.redirect(elsewhere, 303)
    const here = `${base}/${pageSegment(code)}`
    const read = await readFormWithFiles(web, c, uploadsOn(standing, code))
    if (!read) return show(c, standing, code, { message: say('wrong.expired'), status: 400 })
    const sent: Sent = (name) => everyValue(read.form, name)
    const [action = '', about = ''] = (sent('do').at(-1) ?? 'next').split(':')
    if (action === 'longer') {
      await changeHere(web, place, { action: 'hold places longer', actor }, async (ctx) =>
        holdLonger(ctx, await progressOf(ctx, progress.row.id)),
      )
      return c.redirect(here, 303)
    }
    const found = action === 'lookup' ? await lookUp(standing, code, about, sent) : null
    const saved = await changeHere(web, place, { action: 'answer registration page', actor }, (ctx) =>
      savePage(ctx, {
        participantId: progress.row.id,
        page: code,
        sent,
        stays: action !== 'next',
        more: async (before) => ({
          ...(await answersFromUploads(ctx, before, read.files)),
          ...(action === 'guest-remove' ? withoutGuest(before.answers, Number(about)) : {}),
          ...found?.answers,
        }),
        ...(found ? { directoryTags: found.directoryTags } : {}),
      }),
    )
    if (saved.kind === 'over') return c.redirect(`${base}/done`, 303)
    if (saved.kind === 'elsewhere') return c.redirect(saved.page === null ? `${base}/summary` : `${base}/${pageSegment(saved.page)}`, 303)
    if (saved.kind === 'twin') {
      return showAt(
        web,
        c,
        place,
        { title: say('register.twin.title') },
        <Narrow title={say('register.twin.title')}>
          <p>{say('register.twin.text', { email: progress.row.email ?? '' })}</p>
        </Narrow>,
      )
    }
    const after = { ...standing, progress: saved.progress }
    const guest = Number(sent('guest.number')[0]) || null
    if (saved.kind === 'refused' || read.refused.length > 0) {
      const errors = [...(saved.kind === 'refused' ? saved.errors : []), ...read.refused]
      const full = saved.kind === 'refused' ? saved.full : null
      return show(c, after, code, { sent, errors, guest, status: 400, ...(full === null ? {} : { message: fullInWords(after, full) }) })
    }
    if (action === 'next') return c.redirect(`${base}/${saved.next === null ? 'summary' : pageSegment(saved.next)}`, 303)
    const open = guestToOpen(`${action}:${about}`, saved.progress)
    return c.redirect(open === null ? here : `${here}?guest=${open}#guest`, 303)
  }

  const lookUp = async ({ ctx, progress }: Standing, code: string, id: string, sent: Sent): Promise<FoundOut | null> => {
    const widget = widgetsOn(progress, code).find((one) => one.id === id)
    if (widget?.type !== 'membershipLookup') return null
    return askDirectory({ ...ctx, db: web.road.database.write, fetcher: web.road.fetcher }, progress, widget, sent)
  }

  return eventPagesOf(web).get(PAGE, get).post(PAGE, post)
}

export function fullInWords({ place, progress }: Pick<Standing, 'place' | 'progress'>, key: string): string {
  const { say } = place.words
  if (key.startsWith('discount:')) return say('wrong.usedCode')
  const name = place.config.products.find(({ code }) => key === `product:${code}`)?.name ?? place.config.details.name
  return waitsFor(place.config, progress.flow, key) === null ? say('register.gone', { name }) : say('register.fullNow', { name })
}

/** What the flow's own directory said of them, where it matters to know. */
function memberInWords({ words: { say } }: Standing['place'], outcome: unknown): string[] {
  if (outcome === 'found') return [say('register.memberNow')]
  return outcome === 'error' ? [say('register.lookupError')] : []
}

/** What somebody should know before they go on. */
function noticesOf({ place, progress }: Pick<Standing, 'place' | 'progress'>, code: string): string[] {
  const { say } = place.words
  const { kept, row, scene, flow, pages } = progress
  const isFirst = pages[0]?.code === code
  const waits = kept.waits.some((key) => waitsFor(scene.config, flow, key) === 'registration')
  const old = row.version_id !== scene.versionId && kept.pages_done.length > 0
  const attention = old
    ? pages
        .filter((page) => kept.pages_done.includes(page.code) && !isFinished(progress, page.code))
        .map((page) => titleOf({ flow }, page.code))
    : []
  return [
    ...(isFirst && kept.pages_done.length === 0 && row.source === 'web' ? [say('register.known', { email: row.email ?? '' })] : []),
    ...(isFirst && flow.directory !== null ? memberInWords(place, progress.answers[directoryBinding(flow.directory)]) : []),
    ...(waits ? [say('register.fullWaitlist')] : []),
    ...(old ? [say('register.changedVersion')] : []),
    ...(attention.length > 0 ? [say('register.attention', { pages: attention.join(', ') })] : []),
  ]
}
