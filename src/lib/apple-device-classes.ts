// Apple's classes of devices, each of which has its own quota, and the product identifiers of their devices.

/** The beginnings of the product identifiers of each class. */
const products = {
  IPHONE: ['iPhone'],
  IPAD: ['iPad'],
  IPOD: ['iPod'],
  APPLE_WATCH: ['Watch'],
  APPLE_TV: ['AppleTV'],
  APPLE_VISION_PRO: ['RealityDevice'],
  MAC: ['Mac', 'iMac', 'VirtualMac'],
} as const;

export const deviceClasses = Object.keys(products) as (keyof typeof products)[];

/** Returns the class of a product such as `iPhone14,2`, or undefined if it's unknown. */
export function classOfProduct(product: string | null): string | undefined {
  return deviceClasses.find((name) => products[name].some((beginning) => product?.startsWith(beginning)));
}
