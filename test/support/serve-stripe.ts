import { Secret } from '../../src/kernel/secrets.ts'
import { toCardProcessors } from '../../src/platform/card-processors.ts'
import { createStripeProvider } from '../../src/platform/stripe.ts'
import { serveUntilStopped } from '../../src/serve.ts'

/** The real service in its own process, with Stripe's address replaced by the stub's. */
const address = process.env['STRIPE_STUB']!
await serveUntilStopped({
  cards: toCardProcessors(createStripeProvider({ secretKey: new Secret('sk_of_the_test'), webhookSecret: null, address })),
})
