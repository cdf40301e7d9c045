import { parsePointer } from '../pointers.ts'
import { translationStates } from '../texts.ts'
import { type Finding, type Look, perScene, warning } from './scene.ts'

interface Open {
  locale: string
  /** Pointers of texts without a translation, and with one of an older text, by the item they belong to. */
  missing: ReadonlyMap<string, readonly string[]>
  stale: ReadonlyMap<string, readonly string[]>
}

const byItem = (paths: readonly string[]) => Map.groupBy(paths, itemOf)
const itemOf = (path: string) => parsePointer(path).slice(0, 2).join('/')

const openTexts = perScene(({ document, config, facts }): Open[] =>
  translationStates(document, config, facts).map(({ locale, missing, stale }) => ({
    locale,
    missing: byItem(missing),
    stale: byItem(stale),
  })),
)

/** F35: texts that somebody who takes this flow in another language would read untranslated. */
export function reviewLanguages(look: Look): Finding[] {
  const items = shownItems(look)
  return openTexts(look.scene).flatMap(({ locale, missing, stale }) => {
    const gone = items.flatMap((item) => missing.get(item) ?? [])
    const old = items.flatMap((item) => stale.get(item) ?? [])
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
