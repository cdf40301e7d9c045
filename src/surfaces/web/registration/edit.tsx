import { findRegistrationProgress } from '../../../domains/checkout/progress.ts'
import { changeOwnRegistrationPage } from '../../../domains/checkout/change-own.ts'
import { loadCompletedRegistration, isAnswerChangeable, parseRegistrationEditForm } from '../../../domains/checkout/completed-progress.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { toFieldErrorsOrRethrow } from '../../../domains/checkout/quote.ts'
import type { GetFormValues } from '../../../domains/checkout/sent-page.ts'
import { replaceUploadedFiles } from '../../../domains/checkout/uploads.ts'
import { AppError, type FieldError } from '../../../kernel/errors.ts'
import { createEventRouter } from '../event/event-layout.tsx'
import { PUBLIC_EVENT_PATH, type EventSite } from '../event/event-site.ts'
import { listFieldValues, type FormValues } from '../form-values.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { findGuestFormToOpen } from '../register/guests.tsx'
import { readRegistrationPageView } from '../register/read-view.ts'
import { listUploadFields } from '../register/upload-fields.ts'
import { toPageCode } from '../register/view.ts'
import { commitThenDeleteUnusedUploads, readFormWithFiles } from '../uploads.ts'
import { getCsrfToken, type WebServices, type WebContext } from '../web.ts'
import { EditConfirmation } from './confirm-edit.tsx'
import { findEditClosedReason, listEditablePages, RegistrationEditForm, EditablePageList, buildEditPath } from './edit-pages.tsx'
import {
  runOwnRegistrationChange,
  withOwnRegistrationAccess,
  type OwnRegistrationAccess,
  previewOwnRegistrationChange,
  showOwnRegistrationPage,
} from './own-access.tsx'

const PATH = `${PUBLIC_EVENT_PATH}/registration/edit`
const ACTION = 'change_own_registration'

/** Matches buttons that show the page again without saving, for example to update the visible questions or to open a guest's form. */
const NON_SAVING_ACTIONS = /^(update|total|back|guest-add|guest-edit:\d+)$/

interface EditState {
  sent?: GetFormValues
  errors?: readonly FieldError[]
  guest?: number | null
}

/** `…/registration/edit` and its pages: changes answers and choices until the flow's deadline. */
export function registrationEditPages(web: WebServices) {
  const refuse = (c: WebContext, own: OwnRegistrationAccess, why: string, status: 200 | 400) => {
    const title = own.site.words.say('edit.title')
    return showOwnRegistrationPage(
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

  const index = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const progress = await readCompletedProgress(own)
    const closed = findEditClosedReason(own, progress)
    if (closed !== null || !progress) return refuse(c, own, closed ?? '', 200)
    const view = await readRegistrationPageView(own.ctx, own.site, progress)
    return showOwnRegistrationPage(web, c, own, { title: own.site.words.say('edit.title') }, <EditablePageList view={view} />)
  }

  const show = async (
    c: WebContext,
    own: OwnRegistrationAccess,
    progress: RegistrationProgress,
    code: string,
    { sent, errors = [], guest = null }: EditState = {},
  ) => {
    const { site, ctx } = own
    const readOnlyReasons = listReadOnlyFields(site, progress, code)
    const view = await readRegistrationPageView(ctx, site, progress, {
      page: code,
      errors,
      given: readOnlyReasons,
      guest,
      at: c.req.query('at'),
      ...(sent ? { sent } : {}),
    })
    const page = view.flow.pages.find((one) => one.code === code)!
    const status = errors.length > 0 ? 400 : 200
    return showOwnRegistrationPage(
      web,
      c,
      own,
      { title: page.title ?? view.flow.name, status },
      <RegistrationEditForm view={view} page={page} csrf={getCsrfToken(web, c)} />,
    )
  }

  const page = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const progress = await readCompletedProgress(own)
    const closed = findEditClosedReason(own, progress)
    if (closed !== null || !progress) return refuse(c, own, closed ?? '', 200)
    const code = codeOf(c)
    return listEditablePages(progress).includes(code) ? show(c, own, progress, code) : sendNotFoundPage(web, c)
  }

  const save = async (c: WebContext, own: OwnRegistrationAccess): Promise<Response> => {
    const before = await readCompletedProgress(own)
    const code = codeOf(c)
    const read = await readFormWithFiles(web, c, before ? listUploadFields({ site: own.site, progress: before }, code) : {})
    if (!read) return c.redirect(buildEditPath(own.site), 303)
    const closed = findEditClosedReason(own, before)
    const isEditable = closed === null && before !== null && listEditablePages(before).includes(code)
    const replaced = await commitThenDeleteUnusedUploads(web, own.site, read.files, async () =>
      isEditable && read.files.length > 0
        ? runOwnRegistrationChange(web, own, ACTION, (ctx) => replaceUploadedFiles(ctx, own.row.id, read.files))
        : { errors: [], deletedFiles: [] },
    )
    if (closed !== null || !before) return refuse(c, own, closed ?? '', 400)
    if (!isEditable) return sendNotFoundPage(web, c)
    const refused = [...read.refused, ...replaced.errors]
    const progress = read.files.length > 0 ? ((await readCompletedProgress(own)) ?? before) : before
    const sent: GetFormValues = (name) => listFieldValues(read.form, name)
    const { after } = parseRegistrationEditForm(progress, code, sent)
    const pressed = read.form['do'] === 'confirm' ? (read.form['asked'] ?? 'save') : (read.form['do'] ?? 'save')
    const guest = findGuestFormToOpen(pressed, progress) ?? (Number(sent('guest.number')[0]) || null)
    if (refused.length > 0) return show(c, own, after, code, { sent, errors: refused, guest })
    if (NON_SAVING_ACTIONS.test(pressed)) return show(c, own, after, code, { sent, guest })
    try {
      return await changeOrAsk(c, own, { code, form: read.form, sent, action: pressed })
    } catch (error) {
      return show(c, own, after, code, { sent, errors: toFieldErrorsOrRethrow(error), guest })
    }
  }

  /** Saves a change, or asks for confirmation if it has costs or refunds, and again if the amounts have changed meanwhile. */
  const changeOrAsk = async (
    c: WebContext,
    own: OwnRegistrationAccess,
    { code, form, sent, action }: { code: string; form: FormValues; sent: GetFormValues; action: string },
  ): Promise<Response> => {
    const { site, row } = own
    const agreedDigest = form['do'] === 'confirm' ? (form['agreed'] ?? '') : null
    const changeAs = (agreed: string | null) =>
      runOwnRegistrationChange(web, own, ACTION, (ctx) => changeOwnRegistrationPage(ctx, row.id, { page: code, sent, action, agreed }))
    const isAgreed = await changeAs(agreedDigest).then(() => true, falseOnConflict)
    if (isAgreed) return c.redirect(`${site.paths.myRegistration}?done=saved`, 303)
    const change = await previewOwnRegistrationChange(web, own, ACTION, (ctx) =>
      changeOwnRegistrationPage(ctx, row.id, { page: code, sent, action }),
    )
    if (change === null) {
      await changeAs(null)
      return c.redirect(`${site.paths.myRegistration}?done=saved`, 303)
    }
    const asking = { site, code, change, form, action, csrf: getCsrfToken(web, c), changedMeanwhile: agreedDigest !== null }
    return showOwnRegistrationPage(web, c, own, { title: site.words.say('edit.confirm') }, <EditConfirmation {...asking} />)
  }

  return createEventRouter(web)
    .get(PATH, withOwnRegistrationAccess(web, index))
    .get(`${PATH}/:page`, withOwnRegistrationAccess(web, page))
    .post(`${PATH}/:page`, withOwnRegistrationAccess(web, save))
}

const codeOf = (c: WebContext) => toPageCode(c.req.param('page') ?? '')

const readCompletedProgress = ({ ctx, row }: OwnRegistrationAccess) => findRegistrationProgress(ctx, row.id, loadCompletedRegistration)

const falseOnConflict = (error: unknown): false => {
  if (error instanceof AppError && error.code === 'conflict') return false
  throw error
}

/** Lists the read-only fields of a page, with the reason. Neighbouring fields with the same reason state it once, below the last one. */
function listReadOnlyFields({ words: { say } }: EventSite, progress: RegistrationProgress, code: string): Map<string, string> {
  const bindings = progress.walk.pages.find((page) => page.code === code)?.widgets.flatMap((widget) => widget.bindings) ?? []
  const readOnlyBindings = bindings.filter((binding) => !binding.startsWith('@product.') && !isAnswerChangeable(progress, binding))
  const reasons = readOnlyBindings.map((binding) => say(binding === '@participant.email' ? 'edit.email' : 'edit.name'))
  return new Map(readOnlyBindings.map((binding, at) => [binding, reasons[at] === reasons[at + 1] ? '' : reasons[at]!]))
}
