import { contractOf } from '../contract.ts'

contractOf('email')
