/** What a device declares it can do (§7): strict, so that nothing private can ride along. */
import { z } from 'zod';
import { appId, capabilityName, eventName, id } from './ids.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** How much a capability asks of the user (§7). */
export const risk = z.enum(['display_only', 'user_confirmation', 'system_permission', 'restricted']);
export type Risk = z.infer<typeof risk>;

const declaredVersion = z.string().min(1).max(64);

/** One capability as a device declares it. */
export const capability = z.strictObject({
  name: capabilityName,
  version: declaredVersion,
  risk,
  input_schema: z.custom<JsonObject>(isJsonObject, 'expected object').optional(),
});
export type Capability = z.infer<typeof capability>;

const standardComponent = z.strictObject({ id, version: declaredVersion });

const application = z.strictObject({
  id: appId,
  version: declaredVersion,
  surfaces: z
    .array(z.strictObject({ id, events: z.array(eventName).max(256) }))
    .max(256)
    .optional(),
});

/** Payload of `lineup.v1.client.inventory`: a revision of everything a device offers. Unknown fields are refused. */
export const inventory = z.strictObject({
  revision: z.string().min(1).max(128),
  standard_components: z.array(standardComponent).max(256),
  applications: z.array(application).max(256),
  capabilities: z.array(capability).max(256),
  sealed: z.string().optional(),
});
export type Inventory = z.infer<typeof inventory>;

/** Payload of `lineup.v1.app.list`: the capabilities alone. */
export const appList = z.looseObject({ capabilities: z.array(capability).max(256) });
