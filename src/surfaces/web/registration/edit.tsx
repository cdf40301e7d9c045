import { changeOwnChoices } from '../../../domains/checkout/change-own.ts'
import { heldProgress, isChangeable, readOwnEdit } from '../../../domains/checkout/held-progress.ts'
import type { Progress } from '../../../domains/checkout/progress.ts'
import { faultsIn } from '../../../domains/checkout/quote.ts'
import type { Sent } from '../../../domains/checkout/sent-page.ts'
import { keepOwnFiles } from '../../../domains/checkout/uploads.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { eventPagesOf } from '../event/frame.tsx'
import { AT_EVENT, type Place } from '../event/place.ts'
import { everyValue, type FormValues } from '../form-values.ts'
import { showMissing } from '../lost.tsx'
import { ownProgress } from '../register/at.ts'
import { guestToOpen } from '../register/guests.tsx'
import { readView } from '../register/read-view.ts'
import { uploadsOn } from '../register/uploads-on.ts'
import { codeOfSegment } from '../register/view.ts'
import { readFormWithFiles } from '../uploads.ts'
import { csrfFor, type Web, type WebContext } from '../web.ts'
import { ConfirmEdit } from './confirm-edit.tsx'
import { closedInWords, editablePages, EditForm, EditIndex, editPath } from './edit-pages.tsx'
import { changeOwn, forOwner, type Own, previewOwn, showOwn } from './own.tsx'

const PATH = `${AT_EVENT}/registration/edit`
const ACTION = 'change_own_registration'

/** Buttons that only ask for the page again: with what follows from an answer, or with the form of a guest. */
const STAYS = /^(update|back|guest-add|guest-edit:\d+)$/

interface Shown {
  sent?: Sent
  errors?: readonly FieldError[]
  guest?: number | null
}

/** `…/registration/edit` and its pages: what somebody answered and holds, filled in, until the flow says that it stays. */
export function ownEditPages(web: Web) {
  const refuse = (c: WebContext, own: Own, why: string, status: 200 | 400) => {
    const title = own.place.words.say('edit.title')
    return showOwn(
      web,
      c,
      own,
      { title, status },
      <>
        <h1>{title}</h1>
        <p class="lead">{why}</p>
      </>,
    )
  }

  const index = async (c: WebContext, own: Own): Promise<Response> => {
    const progress = await heldBefore(own)
    const closed = closedInWords(own, progress)
    if (closed !== null || !progress) return refuse(c, own, closed ?? '', 200)
    const view = await readView(own.ctx, own.place, progress)
    return showOwn(web, c, own, { title: own.place.words.say('edit.title') }, <EditIndex view={view} />)
  }

  const show = async (c: WebContext, own: Own, progress: Progress, code: string, { sent, errors = [], guest = null }: Shown = {}) => {
    const { place, ctx } = own
    const given = givenOn(place, progress, code)
    const view = await readView(ctx, place, progress, { page: code, errors, given, guest, ...(sent ? { sent } : {}) })
    const page = view.flow.pages.find((one) => one.code === code)!
    const status = errors.length > 0 ? 400 : 200
    return showOwn(
      web,
      c,
      own,
      { title: page.title ?? view.flow.name, status },
      <EditForm view={view} page={page} csrf={csrfFor(web, c)} />,
    )
  }

  const page = async (c: WebContext, own: Own): Promise<Response> => {
    const progress = await heldBefore(own)
    const closed = closedInWords(own, progress)
    if (closed !== null || !progress) return refuse(c, own, closed ?? '', 200)
    const code = codeOf(c)
    return editablePages(progress).includes(code) ? show(c, own, progress, code) : showMissing(web, c)
  }

  const save = async (c: WebContext, own: Own): Promise<Response> => {
    const before = await heldBefore(own)
    const code = codeOf(c)
    const read = await readFormWithFiles(web, c, before ? uploadsOn({ place: own.place, progress: before }, code) : {})
    if (!read) return c.redirect(editPath(own.place), 303)
    const closed = closedInWords(own, before)
    if (closed !== null || !before) return refuse(c, own, closed ?? '', 400)
    if (!editablePages(before).includes(code)) return showMissing(web, c)
    if (read.files.length > 0) await changeOwn(web, own, ACTION, (ctx) => keepOwnFiles(ctx, own.row.id, read.files))
    const progress = read.files.length > 0 ? ((await heldBefore(own)) ?? before) : before
    const sent: Sent = (name) => everyValue(read.form, name)
    const { after } = readOwnEdit(progress, code, sent)
    const pressed = read.form['do'] === 'confirm' ? (read.form['asked'] ?? 'save') : (read.form['do'] ?? 'save')
    const guest = guestToOpen(pressed, progress) ?? (Number(sent('guest.number')[0]) || null)
    if (read.refused.length > 0) return show(c, own, after, code, { sent, errors: read.refused, guest })
    if (STAYS.test(pressed)) return show(c, own, after, code, { sent, guest })
    try {
      return await changeOrAsk(c, own, { code, form: read.form, sent, action: pressed })
    } catch (error) {
      return show(c, own, after, code, { sent, errors: faultsIn(error), guest })
    }
  }

  /** What costs or gives back is asked before it is done, and again where it has become something else since. */
  const changeOrAsk = async (
    c: WebContext,
    own: Own,
    { code, form, sent, action }: { code: string; form: FormValues; sent: Sent; action: string },
  ): Promise<Response> => {
    const { place, row } = own
    const seen = form['do'] === 'confirm' ? (form['agreed'] ?? '') : null
    const changeAs = (agreed: string | null) =>
      changeOwn(web, own, ACTION, (ctx) => changeOwnChoices(ctx, row.id, { page: code, sent, action, agreed }))
    const isAgreed = await changeAs(seen).then(() => true, isOtherThanAgreed)
    if (isAgreed) return c.redirect(`${place.paths.myRegistration}?done=saved`, 303)
    const change = await previewOwn(web, own, ACTION, (ctx) => changeOwnChoices(ctx, row.id, { page: code, sent, action }))
    if (change === null) {
      await changeAs(null)
      return c.redirect(`${place.paths.myRegistration}?done=saved`, 303)
    }
    const asking = { place, code, change, form, action, csrf: csrfFor(web, c), changedMeanwhile: seen !== null }
    return showOwn(web, c, own, { title: place.words.say('edit.confirm') }, <ConfirmEdit {...asking} />)
  }

  return eventPagesOf(web)
    .get(PATH, forOwner(web, index))
    .get(`${PATH}/:page`, forOwner(web, page))
    .post(`${PATH}/:page`, forOwner(web, save))
}

const codeOf = (c: WebContext) => codeOfSegment(c.req.param('page') ?? '')

const heldBefore = ({ ctx, row }: Own) => ownProgress(ctx, row.id, heldProgress)

const isOtherThanAgreed = (error: unknown): false => {
  if (error instanceof AppError && error.code === 'conflict') return false
  throw error
}

/** What is shown and not asked here, with why. */
function givenOn({ words: { say } }: Place, progress: Progress, code: string): Map<string, string> {
  const bindings = progress.walk.pages.find((page) => page.code === code)?.widgets.flatMap((widget) => widget.bindings) ?? []
  const given = bindings.filter((binding) => !binding.startsWith('@product.') && !isChangeable(progress, binding))
  return new Map(given.map((binding) => [binding, say(binding === '@participant.email' ? 'edit.email' : 'edit.name')]))
}
