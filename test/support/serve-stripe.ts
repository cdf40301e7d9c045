import { Secret } from '../../src/kernel/secrets.ts'
import { processorsOf } from '../../src/platform/card-processors.ts'
import { stripeCards } from '../../src/platform/stripe.ts'
import { serve } from '../../src/serve.ts'

/** The real service in a process of its own, which takes this address for Stripe's. */
const address = process.env['STRIPE_STUB']!
await serve({ cards: processorsOf(stripeCards({ secretKey: new Secret('sk_of_the_test'), webhookSecret: null, address })) })
