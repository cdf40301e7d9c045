import { foldText } from '../../../kernel/conditions.ts'
import { set } from './repairs.ts'
import { capital, type Finding, type Look, pageName, type Place, placeName, warning } from './scene.ts'

/** F14 and F15: what cannot be seen must be said, and every page needs a name of its own. */
export const reviewContent = (look: Look): Finding[] => [...look.places.flatMap((place) => withoutWords(look, place)), ...titles(look)]

const saysSomething = (text: string | null): text is string =>
  text !== null && /[\p{L}\p{N}]/u.test(text) && !/^\S+\.(png|jpe?g|gif|webp|svg|avif|mp4)$/i.test(text.trim())

function withoutWords(look: Look, place: Place): Finding[] {
  const { widget, path } = place
  if (widget.type === 'video' && !saysSomething(widget.title))
    return [warning('F14', path, `${capital(placeName(look, place))} has no title for those who cannot see it.`)]
  if (widget.type !== 'image' || saysSomething(widget.alt)) return []
  // A picture that is a link is more than decoration: it must say where it leads.
  if (widget.decorative && widget.link === null) return []
  const operations = saysSomething(widget.caption) ? [set(`${path}/alt`, widget.caption)] : null
  return [
    warning(
      'F14',
      path,
      `${capital(placeName(look, place))} has no alternative text for those who cannot see it${widget.link === null ? '' : ', although it is a link'}.`,
      operations,
    ),
  ]
}

function titles(look: Look): Finding[] {
  const taken = new Set(look.pages.flatMap(({ page }) => (page.title === null ? [] : [foldText(page.title)])))
  const seen = new Map<string, string>()
  const fresh = (stem: string): string => {
    let title = stem
    for (let n = 2; taken.has(foldText(title)); n++) title = `${stem.slice(0, 150)} (${n})`
    taken.add(foldText(title))
    return title
  }
  return look.pages.flatMap(({ page, path }) => {
    if (page.title === null || !saysSomething(page.title)) {
      return [warning('F15', path, `${capital(pageName(page))} has no title.`, [set(`${path}/title`, fresh(titleOf(page.code)))])]
    }
    const key = foldText(page.title)
    const first = seen.get(key)
    seen.set(key, first ?? page.code)
    if (first === undefined) return []
    return [
      warning('F15', path, `The pages ${first} and ${page.code} have the same title, "${page.title}".`, [
        set(`${path}/title`, fresh(page.title)),
      ]),
    ]
  })
}

const titleOf = (code: string) => capital(code.replaceAll('-', ' ').trim())
