import { parsePointer } from '../pointers.ts'
import { getTranslationStates, listTranslatableTextPaths } from '../texts.ts'
import { type FlowFinding, type FlowReviewContext, cachePerReview, createWarningFinding } from './context.ts'

interface IncompleteLocale {
  locale: string
  /** Pointers of texts without a translation (`missing`), and of texts whose translation is stale. */
  missing: ReadonlySet<string>
  stale: ReadonlySet<string>
}

/** The JSON Pointers of all translatable texts, grouped by the configuration item that contains them. */
const textsByItem = cachePerReview(({ document }) => Map.groupBy(listTranslatableTextPaths(document), toItem))

function toItem(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1)
  const item = end < 0 ? path.slice(1) : path.slice(1, end)
  return item.includes('~') ? parsePointer(`/${item}`).join('/') : item
}

const listIncompleteLocales = cachePerReview(({ document, config, facts }): IncompleteLocale[] =>
  getTranslationStates(document, config, facts).flatMap(({ locale, missing, stale }) =>
    missing.length + stale.length === 0 ? [] : [{ locale, missing: new Set(missing), stale: new Set(stale) }],
  ),
)

/** Review check F35: texts that participants who use this flow in another language would see untranslated. */
export function reviewLanguages(flowContext: FlowReviewContext): FlowFinding[] {
  const texts = listShownItems(flowContext).flatMap((item) => textsByItem(flowContext.context).get(item) ?? [])
  return listIncompleteLocales(flowContext.context).flatMap(({ locale, missing, stale }) => {
    const missingTexts = texts.filter((path) => missing.has(path))
    const staleTexts = texts.filter((path) => stale.has(path))
    if (missingTexts.length + staleTexts.length === 0) return []
    const counts = [
      ...(missingTexts.length > 0 ? [`${missingTexts.length} missing`] : []),
      ...(staleTexts.length > 0 ? [`${staleTexts.length} stale`] : []),
    ].join(', ')
    return [
      createWarningFinding(
        'F35',
        flowContext.path,
        `In ${locale} the flow "${flowContext.flow.name}" is not fully translated: ${counts}, first ${missingTexts[0] ?? staleTexts[0]}.`,
      ),
    ]
  })
}

/** Lists the paths of the flow and of the other configuration items whose texts it shows, such as products. */
function listShownItems({ flow, widgetElements }: FlowReviewContext): string[] {
  const asked = widgetElements.flatMap(({ collected }) => collected.map(({ binding }) => binding))
  const coded = (section: string, codes: readonly string[]) => codes.map((code) => `${section}/${code}`)
  const sold = widgetElements.flatMap((element) => element.sold.map(({ code }) => code))
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
