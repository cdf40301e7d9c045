import { listWidgetProducts, toProductAnswerKey } from '../../../domains/configuration/flow/collected-answers.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { toSessionAnswerKey } from '../../../domains/sessions/context.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { findQuestionLabel } from './messages.ts'
import { getProductListTitle } from './products.tsx'
import type { RegistrationPageView } from './view.ts'

const findProductList = ({ flow, config }: RegistrationPageView, binding: string): WidgetOfType<'products'> | undefined =>
  flow.pages
    .flatMap(({ widgets }) => widgets)
    .filter((widget) => widget.type === 'products')
    .find((list) => listWidgetProducts(config, list).some(({ code }) => toProductAnswerKey(code) === binding))

/** The title of the form question that an error is about; null for fields that are not questions, such as a discount code. */
function findQuestionTitle(view: RegistrationPageView, { path, reason }: FieldError): string | null {
  if (path === toSessionAnswerKey('')) return view.site.words.say('register.sessions')
  const session = view.program.find(({ id }) => toSessionAnswerKey(id) === path)
  if (session) return session.title
  const isMissing = view.progress.walk.missing.some(({ binding, why }) => binding === path && why === 'tooFew')
  // Too few or too many chosen products are an error of the whole product list; an error about a sold-out product names the product.
  const list = isMissing || reason?.key.startsWith('error.choose') ? findProductList(view, path) : undefined
  return list ? getProductListTitle(view, list) : findQuestionLabel(view, path)
}

/**
 * The errors for the summary at the top of a page. There a message such as "Choose an option" stands alone, so it follows the title of its
 * question, unless it contains the title.
 */
export const listErrorsWithFieldTitles = (view: RegistrationPageView): FieldError[] =>
  view.errors.map((error) => {
    const { locale, say } = view.site.words
    const title = findQuestionTitle(view, error)
    if (title === null || error.message.toLocaleLowerCase(locale).includes(title.toLocaleLowerCase(locale))) return error
    const message = /[?!.]$/.test(title) ? `${title} ${error.message}` : say('error.named', { title, message: error.message })
    return { ...error, message }
  })
