import type { Browser } from '../../../domains/sign-in/sessions.ts'
import { chooseLanguage, readAcceptLanguage } from '../../../kernel/language/choose.ts'
import { LANGUAGES, type Words, wordsIn } from '../../../kernel/language/words.ts'
import { cookieOf, putCookie } from '../cookies.ts'
import type { Web, WebContext } from '../web.ts'

const YEAR_SECONDS = 365 * 24 * 3600

/** The language of a page: asked for in its address (which is remembered), chosen before, or wanted by the browser; else the first on offer. */
export function languageFor(web: Web, c: WebContext, offered: readonly string[] = LANGUAGES): string {
  const asked = chooseLanguage([c.req.query('lang') ?? ''], offered)
  if (asked) {
    putCookie(web, c, 'language', asked, { maxAge: YEAR_SECONDS })
    return asked
  }
  const wanted = [cookieOf(web, c, 'language') ?? '', ...readAcceptLanguage(c.req.header('accept-language'))]
  return chooseLanguage(wanted, offered) ?? offered[0] ?? 'en'
}

export const wordsFor = (web: Web, c: WebContext, offered?: readonly string[]): Words => wordsIn(languageFor(web, c, offered))

/** What is remembered of the browser that somebody signs in with. */
export const browserOf = (web: Web, c: WebContext): Browser => ({
  userAgent: c.req.header('user-agent') ?? '',
  language: languageFor(web, c),
})
