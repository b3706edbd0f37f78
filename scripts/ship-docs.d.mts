export function forPackage(readme: string): string;
