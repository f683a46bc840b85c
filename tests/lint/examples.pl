#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What README.md and the manual show is what tests/system/t/90-documentation.t runs: each block of
# commands, and each policy, equals a file of tests/system/data/examples, word for word, and each
# file is shown. In README.md these are the blocks marked sh and console, in the manual the displays
# of EXAMPLES.
use strict;
use warnings;
use Test::More;

use lib 'tests/lint';
use Lint;

my $directory = 'tests/system/data/examples';

my %file;
for my $path (glob "$directory/*") {
    $file{$path} = slurp($path) =~ s/\A# SPDX-[^\n]*\n//r;
}
my $test = slurp('tests/system/t/90-documentation.t');

# [where, text]
my @blocks;
my $readme = slurp('README.md');
while ($readme =~ /^```(\w*)\n(.*?)^```$/msg) {
    push @blocks, ["README.md: $1", $2] if $1 ne '';
}
my @without;
for my $page (glob 'man/*.[157]') {
    my ($examples) = slurp($page) =~ /^\.Sh EXAMPLES\n(.*?)^\.Sh /ms;
    next if !defined $examples;
    my $before = @blocks;
    while ($examples =~ /^\.Bd -literal[^\n]*\n(.*?)^\.Ed$/msg) {
        my $text = $1;
        my %character = ('\\e' => '\\', '\\-' => '-', '\\(aq' => q('), '\\&' => '');
        $text =~ s{(\\(?:\(..|.))}{$character{$1} // "($1?)"}ge;
        push @blocks, [$page, $text];
    }
    push @without, $page if @blocks == $before;
}

ok(@blocks > 5, 'the examples are found');
report('every page with EXAMPLES shows some', @without);
my (%shown, @unknown);
for my $block (@blocks) {
    my ($where, $text) = @$block;
    my ($path) = grep { $file{$_} eq $text } sort keys %file;
    if (defined $path) { $shown{$path} = 1 }
    else { push @unknown, "$where:\n$text" }
}
report("every example is a file of $directory", @unknown);
report('every file there is shown', grep { !$shown{$_} } sort keys %file);
report('the test runs every file there', grep {
    my ($name) = m{([^/]+)\.\w+$};
    $test !~ m{^ *example $name$|/$name\.\w+}m;
} sort keys %file);

# How README.md has a package made is what `make check-packages` does; bare.d/newcomer.t installs it so.
my ($deps, $make) = $readme =~ m{`(tests/system/deps) packages && (make deb) && apt install \./build/deb/confine_\*\.deb`};
my ($rule) = slurp('Makefile') =~ /^check-packages:\n((?:\t.*\n)+)/m;
ok($deps && $rule =~ m{\$\(Q\)\Q$deps\E [a-z ]*\bpackages\n.*packages\.t}s, 'README.md has packages made with what the tests install');
ok($make && slurp('tests/system/packages.t') =~ /^\s*check .*\Q$make\E$/m, 'and as they do');
done_testing();
