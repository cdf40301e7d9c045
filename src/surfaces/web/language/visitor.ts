import type { BrowserInfo } from '../../../domains/sign-in/sessions.ts'
import { chooseLanguage, readAcceptLanguage } from '../../../kernel/language/negotiation.ts'
import { LANGUAGES, type Translator, chooseTranslator } from '../../../kernel/language/translator.ts'
import { readCookie, writeCookie } from '../cookies.ts'
import type { WebServices, WebContext } from '../web.ts'

const YEAR_SECONDS = 365 * 24 * 3600

/**
 * Chooses the language of a page: the `lang` parameter (which is remembered), the language chosen before, the browser's preference, or the
 * first offered language.
 */
export function chooseVisitorLanguage(web: WebServices, c: WebContext, offered: readonly string[] = LANGUAGES): string {
  const asked = chooseLanguage([c.req.query('lang') ?? ''], offered)
  if (asked) {
    writeCookie(web, c, 'language', asked, { maxAge: YEAR_SECONDS })
    return asked
  }
  const wanted = [readCookie(web, c, 'language') ?? '', ...readAcceptLanguage(c.req.header('accept-language'))]
  return chooseLanguage(wanted, offered) ?? offered[0] ?? 'en'
}

export const getVisitorTranslator = (web: WebServices, c: WebContext, offered?: readonly string[]): Translator =>
  chooseTranslator(chooseVisitorLanguage(web, c, offered))

/** Information about the browser that is stored with a sign-in session. */
export const readBrowserInfo = (web: WebServices, c: WebContext): BrowserInfo => ({
  userAgent: c.req.header('user-agent') ?? '',
  language: chooseVisitorLanguage(web, c),
})
