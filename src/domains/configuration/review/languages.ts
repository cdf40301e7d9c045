import { parsePointer } from '../pointers.ts'
import { translationStates, unitsOf } from '../texts.ts'
import { type Finding, type Look, perScene, warning } from './scene.ts'

interface Open {
  locale: string
  /** Pointers of texts without a translation, and with one of an older text. */
  missing: ReadonlySet<string>
  stale: ReadonlySet<string>
}

/** Of all texts the pointers, by the item they belong to. */
const textsByItem = perScene(({ document }) => Map.groupBy(unitsOf(document), itemOf))

function itemOf(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1)
  const item = end < 0 ? path.slice(1) : path.slice(1, end)
  return item.includes('~') ? parsePointer(`/${item}`).join('/') : item
}

const openTexts = perScene(({ document, config, facts }): Open[] =>
  translationStates(document, config, facts).flatMap(({ locale, missing, stale }) =>
    missing.length + stale.length === 0 ? [] : [{ locale, missing: new Set(missing), stale: new Set(stale) }],
  ),
)

/** F35: texts that somebody who takes this flow in another language would read untranslated. */
export function reviewLanguages(look: Look): Finding[] {
  const texts = shownItems(look).flatMap((item) => textsByItem(look.scene).get(item) ?? [])
  return openTexts(look.scene).flatMap(({ locale, missing, stale }) => {
    const gone = texts.filter((path) => missing.has(path))
    const old = texts.filter((path) => stale.has(path))
    if (gone.length + old.length === 0) return []
    const counts = [
      ...(gone.length > 0 ? [`${gone.length} missing`] : []),
      ...(old.length > 0 ? [`${old.length} of an older text`] : []),
    ].join(', ')
    return [
      warning(
        'F35',
        look.path,
        `In ${locale} the flow "${look.flow.name}" is not fully translated: ${counts}, first ${gone[0] ?? old[0]}.`,
      ),
    ]
  })
}

/** The flow, and what it shows of the rest. */
function shownItems({ flow, places }: Look): string[] {
  const asked = places.flatMap(({ collected }) => collected.map(({ binding }) => binding))
  const coded = (section: string, codes: readonly string[]) => codes.map((code) => `${section}/${code}`)
  const sold = places.flatMap((place) => place.sold.map(({ code }) => code))
  const named = (prefix: string) => asked.filter((binding) => binding.startsWith(prefix)).map((binding) => binding.slice(prefix.length))
  return [
    ...new Set([
      `flows/${flow.slug}`,
      ...coded('products', sold),
      ...coded('customFields', named('@custom.')),
      ...coded('policies', named('@policy.')),
      ...(flow.confirmationEmail === null ? [] : [`emails/${flow.confirmationEmail}`]),
    ]),
  ]
}
