import { describeContract } from '../contract.ts'

describeContract('onsite')
