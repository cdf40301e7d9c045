import { toOneLine, limitArgument, list, money, object, oneOf, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { z } from 'zod'
import { PRODUCT_CATEGORIES } from '../domains/configuration/schema/catalog.ts'
import { recommendProducts } from '../domains/recommendations/products.ts'

export default registrantTool({
  name: 'recommend_products',
  title: 'Recommend extras',
  description:
    "Suggest extras and add-ons worth the person's while: a workshop, masterclass, dinner or tour that fits their ticket, pass and profile and is on sale to them now; nothing is bought here. Not for exhibitors to visit (use recommend_companies). Returns price, reasons, score and the page where they add it.",
  effect: 'read',
  unidentifiedMessage: 'No participant identity available',
  input: { limit: limitArgument(10).default(5) },
  output: {
    recommendations: toOneLine(
      list(
        object({
          productCode: text(),
          name: z.string(),
          price: money().optional(),
          category: oneOf(PRODUCT_CATEGORIES),
          reasons: list(z.string(), 3),
          score: z.number(),
          addUrl: text(2000),
        }),
      ),
      'productCode, name, price, category, reasons[], score, addUrl',
    ),
  },
  run: async (ctx, { limit }) => ({ recommendations: await recommendProducts(ctx, ctx.person.participantId, limit) }),
})
